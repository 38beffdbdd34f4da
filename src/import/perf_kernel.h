/* SPDX-License-Identifier: MIT
 *
 * perf_kernel.h - names of the kernel's functions, for a perf.data.
 *
 * They come from the copy of /proc/kallsyms that `perf record` leaves in its cache, by the kernel's
 * build-id; or from /proc/kallsyms itself, if this is the kernel.
 */
#ifndef DWELL_IMPORT_PERF_KERNEL_H
#define DWELL_IMPORT_PERF_KERNEL_H

#include "perf_file.h"
#include "recording/read/kallsyms.h"

/* Free with perf_kernel_free(). Empty if the names are not known. */
struct perf_kernel {
	struct kallsyms names;
	uint64_t shift; /* from the addresses of the names to those of the recording */
};

/* `text_start` is where the kernel was, as perf has recorded it; 0: unknown. Returns 0 or -ENOMEM.
 */
int perf_kernel_open(struct perf_kernel *kernel, const struct perf_file *perf, const char *cache,
		     uint64_t text_start);
void perf_kernel_free(struct perf_kernel *kernel);

/* Returns the function at an address; NULL: unknown. */
const char *perf_kernel_name(const struct perf_kernel *kernel, uint64_t address);

#endif
