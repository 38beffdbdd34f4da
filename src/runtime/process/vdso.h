/* SPDX-License-Identifier: MIT
 *
 * vdso.h - the functions that the kernel maps into every process, found without libc.
 */
#ifndef DWELL_RUNTIME_PROCESS_VDSO_H
#define DWELL_RUNTIME_PROCESS_VDSO_H

/* The kernel's function of that name; NULL: there is none. Uses no register but general ones. */
void *vdso_find(const char *name);

#endif
