/* SPDX-License-Identifier: MIT
 *
 * vdso.h - the vdso is in no file; our own copy stands in for that of the target, if it is of the
 * same kernel.
 */
#ifndef DWELL_SYMBOL_VDSO_H
#define DWELL_SYMBOL_VDSO_H

/* Returns a descriptor of a file with it, or -errno. */
int vdso_open(void);

#endif
