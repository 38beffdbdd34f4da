/* SPDX-License-Identifier: MIT
 *
 * linker_memory.h - memory that glibc's linker allocates at the start, if there is an auditor: for
 * the entries of its own PLT, before it has marked the program's libc as such. malloc() would
 * assume another namespace, and never use brk(), so that block comes from here. For the auditor,
 * while the process has one thread and no code of the program has run.
 */
#ifndef DWELL_RUNTIME_CALLS_LINKER_MEMORY_H
#define DWELL_RUNTIME_CALLS_LINKER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Notes how many entries the linker's PLT has. */
void linker_memory_of_plt(size_t entries);

/* Returns whether the linker will allocate memory with the function, which it looks up at the start
 * as if it were the program. Its calls are not the program's. */
bool linker_memory_has(const char *name);

/* Returns the function that the linker is to use instead of the one it has found. */
uintptr_t linker_memory_bind(const char *name, uintptr_t found);

/* Leaves all that follows to libc. */
void linker_memory_end(void);

#endif
