/* SPDX-License-Identifier: MIT
 *
 * pager.h - while a pager is open, it shows what is written to stdout. Only where stdout is a
 * terminal that a pager can work on; else, and where there is no pager, opening does nothing.
 *
 * Meanwhile Ctrl-C is for the pager, and stdout fails silently once the pager has ended: whoever
 * does not want to see the rest has seen enough. There is one pager at a time.
 */
#ifndef DWELL_CLI_REPORT_PAGER_H
#define DWELL_CLI_REPORT_PAGER_H

/* That of DWELL_PAGER or PAGER, which may be empty: none; or less. */
void pager_open(void);

/* Waits until the user has seen enough, and stdout is the terminal again. Does nothing if none is
 * open. */
void pager_close(void);

#endif
