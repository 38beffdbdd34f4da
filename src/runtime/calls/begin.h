/* SPDX-License-Identifier: MIT
 *
 * begin.h - what the constructor begins with: the other runtime, and faults.
 */
#ifndef DWELL_RUNTIME_CALLS_BEGIN_H
#define DWELL_RUNTIME_CALLS_BEGIN_H

/* Of libdwell-record.so, if that is there. Not by dlsym(), which allocates memory for its complaint
 * where it is not, and the program's malloc() may not be ready. */
__attribute__((weak)) void dwell_record_begin(char **environment);

/* Claims SIGBUS: mend.c. */
void mend_begin(void);

#endif
