/* SPDX-License-Identifier: MIT
 *
 * memory_guard.c - interposes libc's munmap() and its kin, if the library is linked before libc or
 * preloaded, to notice when the program changes the mappings of its own static data: see steady.h.
 * The calls themselves are libc's.
 *
 * They may be made in any context, even by allocators before anything is set up. So this code never
 * waits or allocates, and uses system calls until the constructor has found libc's functions.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "steady.h"
#include "sys.h"

#undef mmap64 /* musl defines it as another name of mmap(), but both are symbols */

/* On 32-bit systems, libc's mmap() may take 32-bit offsets, with mmap64() beside it. */
#ifdef __GLIBC__
typedef unsigned long plain_offset;
#else
typedef uint64_t plain_offset;
#endif

typedef void *map_memory(void *, size_t, int, int, int, plain_offset);
typedef void *map_memory64(void *, size_t, int, int, int, uint64_t);
typedef void *move_memory(void *, size_t, size_t, int, void *);
typedef int unmap_memory(void *, size_t);
typedef int protect_memory(void *, size_t, int);
typedef int protect_by_key(void *, size_t, int, int);

static struct {
	map_memory *mmap;
	map_memory64 *mmap64;
	move_memory
		*mremap; /* the last argument is variadic, which does not change how it is passed */
	unmap_memory *munmap;
	protect_memory *mprotect;
	protect_by_key *pkey_mprotect;
} libc;

static map_memory guarded_mmap;
static map_memory64 guarded_mmap64;
static move_memory guarded_mremap;
static unmap_memory guarded_munmap;
static protect_memory guarded_mprotect;
static protect_by_key guarded_pkey_mprotect;

/* ---- steady memory ---- */

/* Finds the program's own headers, and the bias to add to addresses in them. False: unknown. */
static bool find_headers(const ElfW(Phdr) * *headers, size_t *count, uintptr_t *bias)
{
	*headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
	*count = *headers ? getauxval(AT_PHNUM) : 0;
	for (size_t i = 0; i < *count; i++)
		if ((*headers)[i].p_type == PT_PHDR) {
			*bias = (uintptr_t)*headers - (*headers)[i].p_vaddr;
			return true;
		}
	return false;
}

/*
 * Finds the last writable segment, which contains .data and .bss; the dynamic linker makes its
 * beginning read-only.
 */
static void find_steady(void)
{
	const uintptr_t page = getauxval(AT_PAGESZ);
	uintptr_t bias, start = 0, end = 0, read_only = 0;
	const ElfW(Phdr) * headers;
	size_t count;

	if (!find_headers(&headers, &count, &bias))
		return;
	for (size_t i = 0; i < count; i++) {
		uintptr_t from = bias + headers[i].p_vaddr, to = from + headers[i].p_memsz;

		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W) {
			start = from;
			end = to;
		} else if (headers[i].p_type == PT_GNU_RELRO) {
			read_only = (to + page - 1) & ~(page - 1);
		}
	}
	if (read_only > start)
		start = read_only;
	if (end <= start)
		return;
	steady.start = start;
	atomic_store(&steady.size, end - start);
}

static bool is_in_place(void)
{
	return dlsym(RTLD_DEFAULT, "mmap") == (void *)guarded_mmap &&
	       dlsym(RTLD_DEFAULT, "mmap64") == (void *)guarded_mmap64 &&
	       dlsym(RTLD_DEFAULT, "mremap") == (void *)guarded_mremap &&
	       dlsym(RTLD_DEFAULT, "munmap") == (void *)guarded_munmap &&
	       dlsym(RTLD_DEFAULT, "mprotect") == (void *)guarded_mprotect &&
	       dlsym(RTLD_DEFAULT, "pkey_mprotect") == (void *)guarded_pkey_mprotect;
}

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc.mmap, "mmap");
	INTERPOSE_FIND(libc.mmap64, "mmap64");
	INTERPOSE_FIND(libc.mremap, "mremap");
	INTERPOSE_FIND(libc.munmap, "munmap");
	INTERPOSE_FIND(libc.mprotect, "mprotect");
	INTERPOSE_FIND(libc.pkey_mprotect, "pkey_mprotect");
	if (is_in_place())
		find_steady();
}

/* ---- the calls ---- */

/* Converts a result to libc's convention. */
static long to_libc(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

static void *guarded_mmap64(void *at, size_t size, int protection, int flags, int fd,
			    uint64_t offset)
{
	if (flags & MAP_FIXED)
		steady_disturb(at, size);
	if (libc.mmap64)
		return libc.mmap64(at, size, protection, flags, fd, offset);
	if (offset % SYS_MMAP_UNIT)
		return (void *)to_libc(-EINVAL);
	return (void *)to_libc(
		SYS6(SYS_MMAP, at, size, protection, flags, fd, offset / SYS_MMAP_UNIT));
}

static void *guarded_mmap(void *at, size_t size, int protection, int flags, int fd,
			  plain_offset offset)
{
	if (!libc.mmap)
		return guarded_mmap64(at, size, protection, flags, fd, offset);
	if (flags & MAP_FIXED)
		steady_disturb(at, size);
	return libc.mmap(at, size, protection, flags, fd, offset);
}

static void *guarded_mremap(void *at, size_t size, size_t new_size, int flags, void *to)
{
	steady_disturb(at, size);
	if (flags & MREMAP_FIXED)
		steady_disturb(to, new_size);
	if (libc.mremap)
		return libc.mremap(at, size, new_size, flags, to);
	return (void *)to_libc(SYS5(SYS_mremap, at, size, new_size, flags, to));
}

static int guarded_munmap(void *at, size_t size)
{
	steady_disturb(at, size);
	return libc.munmap ? libc.munmap(at, size) : (int)to_libc(SYS2(SYS_munmap, at, size));
}

static int guarded_mprotect(void *at, size_t size, int protection)
{
	steady_disturb(at, size);
	if (libc.mprotect)
		return libc.mprotect(at, size, protection);
	return (int)to_libc(SYS3(SYS_mprotect, at, size, protection));
}

static int guarded_pkey_mprotect(void *at, size_t size, int protection, int key)
{
	steady_disturb(at, size);
	if (libc.pkey_mprotect)
		return libc.pkey_mprotect(at, size, protection, key);
	return (int)to_libc(SYS4(SYS_pkey_mprotect, at, size, protection, key));
}

/* Aliases, since the header redirects some of these names for large files. */
#define STAND_IN_FRONT(type, name, guard)                                                          \
	EXPORT type guard_of_##name __asm__(#name) __attribute__((alias(#guard)))

STAND_IN_FRONT(map_memory, mmap, guarded_mmap);
STAND_IN_FRONT(map_memory64, mmap64, guarded_mmap64);
STAND_IN_FRONT(move_memory, mremap, guarded_mremap);
STAND_IN_FRONT(unmap_memory, munmap, guarded_munmap);
STAND_IN_FRONT(protect_memory, mprotect, guarded_mprotect);
STAND_IN_FRONT(protect_by_key, pkey_mprotect, guarded_pkey_mprotect);
