/* SPDX-License-Identifier: MIT
 *
 * pager.h - shows what is written to stdout in a pager while one is open. Opening does nothing if
 * stdout is not a terminal that a pager can work on, or if there is no pager.
 *
 * While it is open, Ctrl-C goes to the pager, and writing to stdout fails silently once the pager
 * has ended: the user does not want the rest. There is one pager at a time.
 */
#ifndef DWELL_CLI_REPORT_PAGER_H
#define DWELL_CLI_REPORT_PAGER_H

/* Opens the pager of DWELL_PAGER or PAGER, where an empty value means none, or else less. */
void pager_open(void);

/* Waits until the user leaves the pager, and restores stdout. Does nothing if none is open. */
void pager_close(void);

#endif
