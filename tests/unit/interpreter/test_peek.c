/* SPDX-License-Identifier: MIT
 *
 * test_peek.c - memory that is not there is not read: the first page, a hole, the end of a mapping.
 */
#include "interpreter/peek.h"

#include <string.h>
#include <sys/mman.h>

#include "tap.h"

#define PAGE 4096

/* Pages that a walk has probed are known to later ones. */
static void known(uintptr_t page, uintptr_t other)
{
	static struct peek_known pages;
	struct peek first = { 0 }, second = { 0 }, third = { .trusts = true }, late = third,
		    still = third;

	peek_begin(&first, &pages, PEEK_TRUST + 1);
	ok(peek_can(&first, page, 8), "a page is probed");
	munmap((void *)page, PAGE);
	peek_begin(&second, &pages, PEEK_TRUST + 2);
	ok(!peek_can(&second, page, 8), "and again by a walk that does not trust");
	peek_begin(&third, &pages, 2 * PEEK_TRUST);
	ok(peek_can(&third, page, 8), "but not by one that does");
	peek_begin(&late, &pages, 2 * PEEK_TRUST + 2);
	ok(!peek_can(&late, page, 8), "unless it is late");
	ok(peek_can(&late, other, 8), "another page is probed");
	munmap((void *)other, PAGE);
	peek_begin(&still, &pages, 2 * PEEK_TRUST + 2);
	ok(!peek_can(&still, other, 8), "and again if the clock stands");
}

/* Counts the copies of pages of another process, each of which has its own number. */
static unsigned copied;

static bool copy(void *context, uintptr_t at, void *to, size_t size)
{
	(void)context;
	memset(to, (int)(at / PEEK_PAGE / PEEK_PAGES), size);
	copied++;
	return true;
}

/* Pages that have the same place do not displace each other, as long as there are two of them. */
static void met(void)
{
	static char copies[PEEK_PAGES][PEEK_PAGE];
	struct peek_source source = { copy, NULL, copies };
	struct peek peek = { .source = &source };
	const uintptr_t apart = PEEK_PAGES * PEEK_PAGE, first = 5 * PEEK_PAGE + apart;
	bool own = true;

	for (unsigned i = 0; i < 6; i++) {
		uintptr_t page = first + i % 2 * apart;

		own = own && peek_can(&peek, page, 8) && peek_byte(&peek, page) == 1 + i % 2;
	}
	ok(own && copied == 2, "two pages in one place are copied once each: %u copies", copied);
	for (unsigned i = 0; i < 3; i++) {
		uintptr_t page = first + i * apart;

		own = own && peek_can(&peek, page, 8) && peek_byte(&peek, page) == 1 + i;
	}
	ok(own && copied == 3, "a third one takes the place of another: %u copies", copied);
	ok(peek_can(&peek, first + apart, 8) && peek_byte(&peek, first + apart) == 2 && copied == 4,
	   "which is copied again");
}

int main(void)
{
	struct peek peek = { 0 };
	char *memory =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start = (uintptr_t)memory;

	if (memory == MAP_FAILED || munmap(memory + PAGE, PAGE))
		bail_out("there is no memory");
	if (!memory_probe_works()) {
		skip("memory that is not there", "this kernel, or its emulator, has no probe");
		return tap_done();
	}
	ok(!peek_can(&peek, 0, 8) && !peek_can(&peek, 1, 8), "nothing is in the first page");
	ok(peek_can(&peek, start, PAGE), "a page that is mapped");
	ok(!peek_can(&peek, start + PAGE - 4, 8), "not across its end");
	ok(!peek_can(&peek, start + PAGE, 8) && !peek_can(&peek, start + PAGE, 8), "a hole, twice");
	ok(peek_can(&peek, start + 2 * PAGE, 8), "behind it");
	ok(!peek_can(&peek, UINTPTR_MAX - 3, 8) && !peek_can(&peek, ~(uintptr_t)0xfff, 8),
	   "the end of all addresses");
	peek_know(&peek, start + PAGE);
	ok(peek_can(&peek, start + PAGE, 8), "a page that is known is not probed");
	memory[21] = 77;
	ok(peek_byte(&peek, start + 21) == 77 && peek_word(&peek, start + 20) >> 8 == 77,
	   "bytes and words");
	known(start, start + 2 * PAGE);
	met();
	return tap_done();
}
