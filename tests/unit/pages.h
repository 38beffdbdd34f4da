/* SPDX-License-Identifier: MIT
 *
 * pages.h - memory that is mapped, unmapped, or read-only.
 */
#ifndef DWELL_TESTS_PAGES_H
#define DWELL_TESTS_PAGES_H

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

static inline size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps pages of zeroes. */
static inline char *pages_new(size_t count)
{
	char *pages = mmap(NULL, count * page_size(), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		bail_out("no memory to test with");
	return pages;
}

static inline void pages_protect(char *pages, size_t count, int protection)
{
	if (mprotect(pages, count * page_size(), protection))
		bail_out("mprotect() failed");
}

/* Unmaps them. The address stays unused until the next mapping is made. */
static inline void pages_unmap(char *pages, size_t count)
{
	if (munmap(pages, count * page_size()))
		bail_out("munmap() failed");
}

/* Maps a page of a file that has been truncated since: touching it raises SIGBUS. */
static inline char *pages_of_truncated_file(void)
{
	int fd = memfd_create("truncated", MFD_CLOEXEC);
	char *page;

	if (fd < 0 || ftruncate(fd, (off_t)page_size()))
		bail_out("no file to map");
	page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || ftruncate(fd, 0))
		bail_out("no file to map");
	close(fd);
	return page;
}

#endif
