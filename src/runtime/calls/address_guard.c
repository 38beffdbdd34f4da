/* SPDX-License-Identifier: MIT
 *
 * address_guard.c - stands in front of the functions of libc that tell what is at an address. The
 * program has the addresses of redirectors for those of chosen functions, and is told what it would
 * be told without us: the function, and its library.
 *
 * backtrace() leaves stubs out, which are frames of nobody's. Other unwinders show them.
 *
 * _dl_find_object() and backtrace() may be called in signal handlers: what is in front of them does
 * nothing more than they do.
 */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#include "base/export.h"
#include "arena.h"
#include "calls.h"
#include "choice.h"

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 35)
#define HAS_FIND_OBJECT
#endif
#endif

static struct {
	int (*dladdr)(const void *, Dl_info *);
#ifdef __GLIBC__
	int (*dladdr1)(const void *, Dl_info *, void **, int);
	int (*backtrace)(void **, int);
	char **(*backtrace_symbols)(void *const *, int);
	void (*backtrace_symbols_fd)(void *const *, int, int);
#endif
#ifdef HAS_FIND_OBJECT
	int (*find_object)(void *, struct dl_find_object *);
#endif
} libc;

#define FIND(member, name) libc.member = (__typeof__(libc.member))dlsym(RTLD_NEXT, name)

/* Idempotent; also called early, by constructors of other libraries. */
__attribute__((constructor)) static void guard_init(void)
{
	if (libc.dladdr)
		return;
#ifdef HAS_FIND_OBJECT
	FIND(find_object, "_dl_find_object");
#endif
#ifdef __GLIBC__
	FIND(dladdr1, "dladdr1");
	FIND(backtrace, "backtrace");
	FIND(backtrace_symbols, "backtrace_symbols");
	FIND(backtrace_symbols_fd, "backtrace_symbols_fd");
#endif
	FIND(dladdr, "dladdr");
}

/* Returns the address that the program would have without us. */
static const void *real_address(const void *address)
{
	uintptr_t offset = (uintptr_t)address - (uintptr_t)arch_redirectors;
	size_t id = offset / FUNCTION_BYTES;

	if (offset >= sizeof(arch_redirectors) || id == 0 || !calls_functions[id].target)
		return address;
	return (const char *)calls_functions[id].target + offset % FUNCTION_BYTES;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/*
 * Returns libc's function if what was found is one of ours that stands in front of it; else NULL.
 * libc is not opened when this library is initialised: it would be initialised as well, too soon.
 */
static void *function_behind(const Dl_info *found, const void *address)
{
	struct spec_subject subject = { .soname = base_name(found->dli_fname) };
	void *handle, *function;

	if (!found->dli_sname || found->dli_saddr != address || !choice_is_ours(&subject))
		return NULL;
	handle = dlopen(CHOICE_BEHIND, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	function = dlsym(handle, found->dli_sname);
	dlclose(handle);
	return function;
}

/* Where a symbol begins at the very address that was asked for, it does so at the program's. */
static void show(Dl_info *info, const void *asked, const void *real)
{
	if (info->dli_saddr == real)
		info->dli_saddr = (void *)asked;
}

EXPORT int dladdr(const void *address, Dl_info *info)
{
	const void *real = real_address(address), *behind;
	int found;

	guard_init();
	found = libc.dladdr ? libc.dladdr(real, info) : 0;
	behind = found ? function_behind(info, real) : NULL;
	if (behind) {
		real = behind;
		found = libc.dladdr(real, info);
	}
	if (found)
		show(info, address, real);
	return found;
}

#ifdef __GLIBC__
EXPORT int dladdr1(const void *address, Dl_info *info, void **more, int flags)
{
	const void *real = real_address(address), *behind;
	int found;

	guard_init();
	found = libc.dladdr1 ? libc.dladdr1(real, info, more, flags) : 0;
	behind = found ? function_behind(info, real) : NULL;
	if (behind) {
		real = behind;
		found = libc.dladdr1(real, info, more, flags);
	}
	if (found)
		show(info, address, real);
	return found;
}

/* Copies a backtrace without our own frames, which come before the one that returns to `caller`,
 * and without stubs. Returns how many are left. */
static int take_out(void **to, int room, void *const *frames, int count, const void *caller)
{
	int first = 0, kept = 0;

	while (first < count && frames[first] != caller)
		first++;
	for (int i = first == count ? 1 : first; i < count && kept < room; i++)
		if (!arena_slot_of((uintptr_t)frames[i]))
			to[kept++] = frames[i];
	return kept;
}

#define FULL_MAX 1024 /* frames: a program that has room for more has enough */

/* Where the stack has more frames than the buffer, those that are taken out have kept others out:
 * then it is walked again. There may be a stub for each frame, and two frames are ours. */
static int backtrace_again(void **frames, int size, const void *caller)
{
	int room = 2 * size + 2;
	void **all = __builtin_alloca((size_t)room * sizeof(*all));

	return take_out(frames, size, all, libc.backtrace(all, room), caller);
}

EXPORT int backtrace(void **frames, int size)
{
	const void *caller = __builtin_return_address(0);
	int count;

	guard_init();
	count = libc.backtrace ? libc.backtrace(frames, size) : 0;
	if (count > 0 && count == size && size <= FULL_MAX)
		return backtrace_again(frames, size, caller);
	return take_out(frames, size, frames, count, caller);
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
/* Unwinders look for the unwind table of the code itself, which may have been interrupted in a
 * redirector. */
static bool is_unwinder(void *code)
{
	struct dl_find_object object;
	struct spec_subject subject = { 0 };

	if (libc.find_object(code, &object) != 0)
		return false;
	subject.soname = base_name(object.dlfo_link_map->l_name);
	return choice_is_system(&subject) || choice_is_ours(&subject);
}

EXPORT int _dl_find_object(void *address, struct dl_find_object *result)
{
	void *real = (void *)real_address(address);

	guard_init();
	if (!libc.find_object)
		return -1;
	if (real != address && is_unwinder(__builtin_return_address(0)))
		real = address;
	return libc.find_object(real, result);
}
#endif
