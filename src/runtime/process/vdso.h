/* SPDX-License-Identifier: MIT
 *
 * vdso.h - finds the functions that the kernel maps into every process, without libc.
 */
#ifndef DWELL_RUNTIME_PROCESS_VDSO_H
#define DWELL_RUNTIME_PROCESS_VDSO_H

/* Returns the kernel's function of that name; NULL: there is none. Uses general registers only. */
void *vdso_find(const char *name);

#endif
