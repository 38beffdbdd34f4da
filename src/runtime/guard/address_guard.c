/* SPDX-License-Identifier: MIT
 *
 * address_guard.c - interposes the functions of libc that look up an address. The program has
 * addresses of redirectors, and of our functions that interpose libc's, in place of others; it gets
 * the same result as without us: the function, and its library.
 *
 * Unwinders call _dl_find_object(), in signal handlers and while other threads hold the linker's
 * lock. It never looks up a name, nor does any of them for an address where none of our functions
 * begins.
 */
#include "address_guard.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#include "base/export.h"
#include "interpose.h"
#include "runtime/calls/runtime.h"
#include "runtime/process/own_code.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 35)
#define HAS_FIND_OBJECT
#endif
#endif

extern ElfW(Dyn) _DYNAMIC[]; /* of this library; not every <link.h> has it */

static struct {
	int (*dladdr)(const void *, Dl_info *);
#ifdef __GLIBC__
	int (*dladdr1)(const void *, Dl_info *, void **, int);
	char **(*backtrace_symbols)(void *const *, int);
	void (*backtrace_symbols_fd)(void *const *, int, int);
#endif
#ifdef HAS_FIND_OBJECT
	int (*find_object)(void *, struct dl_find_object *);
#endif
} libc;

static const struct address_calls *calls; /* NULL: no calls are wrapped */

void address_guard_use(const struct address_calls *wrapped)
{
	calls = wrapped;
}

/* Finds libc's functions. Idempotent; also called early, by constructors of other libraries. */
__attribute__((constructor)) static void guard_init(void)
{
	if (libc.dladdr)
		return;
#ifdef HAS_FIND_OBJECT
	INTERPOSE_FIND(libc.find_object, "_dl_find_object");
#endif
#ifdef __GLIBC__
	INTERPOSE_FIND(libc.dladdr1, "dladdr1");
	INTERPOSE_FIND(libc.backtrace_symbols, "backtrace_symbols");
	INTERPOSE_FIND(libc.backtrace_symbols_fd, "backtrace_symbols_fd");
#endif
	INTERPOSE_FIND(libc.dladdr, "dladdr");
}

/* Returns a table of the dynamic section. Some linkers relocate its entries, others do not. */
static const void *own_table(int64_t tag)
{
	uintptr_t base = (uintptr_t)&__ehdr_start;

	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return (const void *)(entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr
								       : entry->d_un.d_ptr);
	return NULL;
}

/*
 * Returns the name of the exported function of this library that begins at the address; NULL: there
 * is none. Async-signal-safe: does not take the linker's lock.
 */
static const char *own_function(uintptr_t address)
{
	const ElfW(Word) *hash = own_table(DT_HASH);
	const ElfW(Sym) *symbols = own_table(DT_SYMTAB);
	const char *names = own_table(DT_STRTAB);
	ElfW(Word) count = hash && symbols && names ? hash[1] : 0;

	for (ElfW(Word) i = 1; i < count; i++)
		if (symbols[i].st_shndx != SHN_UNDEF && (symbols[i].st_info & 15) == STT_FUNC &&
		    (uintptr_t)&__ehdr_start + symbols[i].st_value == address)
			return names + symbols[i].st_name;
	return NULL;
}

/* Returns the function of that redirector, if it is one. */
static const void *redirected(const void *address)
{
	return calls ? calls->redirected(address) : address;
}

/* Returns the address that the program would have without us. */
static const void *real_address(const void *address)
{
	const void *target = redirected(address), *next;
	const char *name = own_code_has((uintptr_t)target) ? own_function((uintptr_t)target) : NULL;

	if (!name && calls)
		name = calls->replaced(target);
	next = name ? dlsym(RTLD_NEXT, name) : NULL;
	return next ? next : target;
}

/* Shows the program's address as that of a symbol which begins at the real one. */
static void show(Dl_info *info, const void *asked, const void *real)
{
	if (info->dli_saddr == real)
		info->dli_saddr = (void *)asked;
}

EXPORT int dladdr(const void *address, Dl_info *info)
{
	const void *real;
	int found;

	guard_init();
	real = real_address(address);
	found = libc.dladdr ? libc.dladdr(real, info) : 0;
	if (found)
		show(info, address, real);
	return found;
}

#ifdef __GLIBC__
EXPORT int dladdr1(const void *address, Dl_info *info, void **more, int flags)
{
	const void *real;
	int found;

	guard_init();
	real = real_address(address);
	found = libc.dladdr1 ? libc.dladdr1(real, info, more, flags) : 0;
	if (found)
		show(info, address, real);
	return found;
}

EXPORT char **backtrace_symbols(void *const *frames, int size)
{
	size_t count = size > 0 ? (size_t)size : 0;
	void **real = malloc((count + 1) * sizeof(*real));
	char **symbols = NULL;

	guard_init();
	for (size_t i = 0; real && i < count; i++)
		real[i] = (void *)real_address(frames[i]);
	if (real && libc.backtrace_symbols)
		symbols = libc.backtrace_symbols(real, size);
	free(real);
	return symbols;
}

EXPORT void backtrace_symbols_fd(void *const *frames, int size, int fd)
{
	guard_init();
	for (int i = 0; i < size && libc.backtrace_symbols_fd; i++) {
		const void *real = real_address(frames[i]);

		libc.backtrace_symbols_fd((void *const *)&real, 1, fd);
	}
}
#endif

#ifdef HAS_FIND_OBJECT
/*
 * Returns whether the caller is an unwinder. Unwinders need the unwind table of the code itself,
 * which may have been interrupted at its first instruction.
 */
bool address_guard_is_unwinder(const void *code)
{
	static const char *const names[] = { "libgcc_s.so", "libunwind" };
	struct dl_find_object object;
	const char *name, *slash;

	if (own_code_has((uintptr_t)code))
		return true;
	guard_init();
	if (!libc.find_object || libc.find_object((void *)code, &object) != 0)
		return false;
	name = object.dlfo_link_map->l_name;
	slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Describes copied instructions as a part of their object with call frame information of its own.
 */
static bool find_in_island(uintptr_t address, struct dl_find_object *result)
{
	struct runtime_island island;

	if (!calls || !calls->island(address, &island))
		return false;
	*result = (struct dl_find_object){ .dlfo_map_start = (void *)island.start,
					   .dlfo_map_end = (void *)island.end,
					   .dlfo_link_map = (struct link_map *)island.map,
					   .dlfo_eh_frame = (void *)island.header };
	return true;
}

EXPORT int _dl_find_object(void *address, struct dl_find_object *result)
{
	guard_init();
	if (!libc.find_object)
		return -1;
	if (find_in_island((uintptr_t)address, result))
		return 0;
	if ((own_code_has((uintptr_t)address) || redirected(address) != address) &&
	    !address_guard_is_unwinder(__builtin_return_address(0)))
		address = (void *)real_address(address);
	return libc.find_object(address, result);
}

/* The name itself leads to libc's function where this library was loaded after that. */
static int own_find_object(void *address, struct dl_find_object *result)
	__attribute__((nothrow, alias("_dl_find_object")));

void *address_guard_finder(void)
{
	return (void *)own_find_object;
}
#else
void *address_guard_finder(void)
{
	return NULL;
}

bool address_guard_is_unwinder(const void *code)
{
	(void)code;
	return false;
}
#endif
