/* SPDX-License-Identifier: MIT
 *
 * test_peek.c - memory that is not there is not read: the first page, a hole, the end of a mapping.
 */
#include "interpreter/peek.h"

#include <sys/mman.h>

#include "tap.h"

#define PAGE 4096

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
	return tap_done();
}
