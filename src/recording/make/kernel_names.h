/* SPDX-License-Identifier: MIT
 *
 * kernel_names.h - copies the names of the kernel's functions in stacks into a recording, while
 * they are known: the machine has not been started again.
 */
#ifndef DWELL_RECORDING_MAKE_KERNEL_NAMES_H
#define DWELL_RECORDING_MAKE_KERNEL_NAMES_H

#include "create.h"
#include "recording/read/reader.h"

/* Adds them, from a file like /proc/kallsyms. Returns the number of functions, or -errno. */
int kernel_names_import(const struct creation *creation, const struct reader *reader,
			const char *path);

#endif
