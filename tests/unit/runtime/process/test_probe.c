/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../../pages.h"
#include "runtime/process/probe.h"
#include "tap.h"

static void values_are_unchanged(void)
{
	char *page = pages_new(1), *copy = pages_new(1);
	bool writable = true;

	for (size_t i = 0; i < page_size(); i++)
		page[i] = copy[i] = (char)(i * 7 + i / 256);
	for (size_t i = 0; i < page_size(); i++)
		writable = writable && probe_writable(page + i);
	ok(writable, "every byte of a good page can be written");
	ok(memcmp(page, copy, page_size()) == 0, "asking changes none of them");
}

static void bad_pages(void)
{
	char *page = pages_new(1);

	ok(!probe_writable(NULL), "NULL cannot be written");
	ok(!probe_writable((void *)UINTPTR_MAX), "nor the last address there is");
	ok(!probe_writable((void *)(UINTPTR_MAX / 2 + 1)), "nor the first of the kernel's");
	ok(!probe_writable((void *)(uintptr_t)bad_pages), "nor code");
	ok(!probe_writable("constant"), "nor constants");
	pages_protect(page, 1, PROT_READ);
	ok(!probe_writable(page), "nor a page that is read-only");
	pages_protect(page, 1, PROT_NONE);
	ok(!probe_writable(page), "nor a page without permissions");
	pages_protect(page, 1, PROT_READ | PROT_WRITE);
	ok(probe_writable(page), "until it is writable again");
	pages_unmap(page, 1);
	ok(!probe_writable(page), "nor one that is gone");
	ok(!probe_writable(pages_of_truncated_file()), "nor a mapped file that was cut off");
}

static void ranges(void)
{
	size_t page = page_size();
	char *pages = pages_new(5), *hole = pages + 2 * page, *behind = hole + page;

	pages_protect(hole, 1, PROT_NONE);
	ok(probe_writable_range(pages, 2 * page), "two good pages are good");
	ok(!probe_writable_range(pages, 2 * page + 1), "the first byte of a hole makes them bad");
	ok(!probe_writable_range(pages, 5 * page), "a hole in the middle makes all bad");
	ok(!probe_writable_range(pages + page - 1, 3 * page), "wherever the range begins");
	ok(!probe_writable_range(behind - 1, 2), "the last byte of a hole too");
	ok(probe_writable_range(behind, 2 * page), "behind the hole all is good");
	ok(probe_writable_range(hole - 1, 1) && !probe_writable_range(hole - 1, 2),
	   "the byte before the hole is the last good one");
	pages_unmap(hole, 1);
	ok(!probe_writable_range(pages, 5 * page), "a hole where nothing is mapped is one too");
}

static void odd_ranges(void)
{
	char *page = pages_new(1);
	uintptr_t last = UINTPTR_MAX;

	ok(probe_writable_range(page, 0) && probe_writable_range(NULL, 0),
	   "nothing can be written everywhere");
	ok(!probe_writable_range(page, SIZE_MAX), "a range that wraps around is bad");
	ok(!probe_writable_range(page + 8, SIZE_MAX - 3), "also one that wraps to its own page");
	ok(!probe_writable_range((void *)(last - 1), 8), "also at the end of all addresses");
	ok(!probe_writable_range((void *)last, 1), "and the very last byte");
	ok(!probe_writable_range(page, last - (uintptr_t)page + 1),
	   "and all from a good page to the end");
}

int main(void)
{
	values_are_unchanged();
	bad_pages();
	ranges();
	odd_ranges();
	return tap_done();
}
