/* SPDX-License-Identifier: MIT
 *
 * roomy.h - runs a function on a stack that is large enough, whatever `ulimit -s` says. The limit
 * itself stays as it is: commands inherit it.
 */
#ifndef DWELL_CLI_ROOMY_H
#define DWELL_CLI_ROOMY_H

/* Returns what run() does, which may be called on this stack as well, if that is large enough. */
int roomy_run(int (*run)(int argc, char **argv), int argc, char **argv);

#endif
