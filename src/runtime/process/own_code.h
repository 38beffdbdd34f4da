/* SPDX-License-Identifier: MIT
 *
 * own_code.h - tells this library's code from other code, by its address.
 */
#ifndef DWELL_RUNTIME_PROCESS_OWN_CODE_H
#define DWELL_RUNTIME_PROCESS_OWN_CODE_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* The ELF header of this library, defined by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* Returns whether address is in this library. Async-signal-safe. */
static inline bool own_code_has(uintptr_t address)
{
	uintptr_t base = (uintptr_t)&__ehdr_start, end = 0;
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);

	for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
		if (headers[i].p_type == PT_LOAD && headers[i].p_vaddr + headers[i].p_memsz > end)
			end = headers[i].p_vaddr + headers[i].p_memsz;
	return address - base < end;
}

#endif
