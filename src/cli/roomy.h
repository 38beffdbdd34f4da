/* SPDX-License-Identifier: MIT
 *
 * roomy.h - runs a function on a stack that is large enough, regardless of `ulimit -s`. The limit
 * itself is unchanged: commands inherit it.
 */
#ifndef DWELL_CLI_ROOMY_H
#define DWELL_CLI_ROOMY_H

/* Returns the result of run(), which is called on the current stack if that is large enough. */
int roomy_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
