/* SPDX-License-Identifier: MIT
 *
 * test_steady.c - memory that need not be probed, and until when.
 */
#include "runtime/profil/steady.h"
#include "tap.h"

#define START 0x10000000
#define SIZE  0x100000

static const void *at(uintptr_t address)
{
	return (const void *)address;
}

static void begin(void)
{
	steady.start = START;
	steady.size = SIZE;
}

static bool is_undisturbed(uintptr_t address, size_t size)
{
	begin();
	steady_disturb(at(address), size);
	return steady.size == SIZE;
}

int main(void)
{
	ok(!steady_holds(at(START), 1) && !steady_holds(at(0), 0), "at first there is none");
	begin();
	ok(steady_holds(at(START), 1) && steady_holds(at(START), SIZE), "from its first byte");
	ok(steady_holds(at(START + SIZE - 2), 2), "to its last one");
	ok(!steady_holds(at(START + SIZE - 1), 2) && !steady_holds(at(START + SIZE), 1) &&
		   !steady_holds(at(START - 1), 2) && !steady_holds(at(0), SIZE) &&
		   !steady_holds(at(UINTPTR_MAX), SIZE) && !steady_holds(at(START + 1), SIZE_MAX),
	   "and nothing beyond");
	ok(is_undisturbed(START - 0x20000, 0x1000) && is_undisturbed(START + SIZE, 0x1000) &&
		   is_undisturbed(0, 0x1000),
	   "calls for other memory do not matter");
	ok(!is_undisturbed(START, 1) && !is_undisturbed(START + SIZE - 1, 1) &&
		   !is_undisturbed(START - 0x1000, 0x2000) && !is_undisturbed(0, SIZE_MAX / 2),
	   "changes of a part of it do");
	ok(!is_undisturbed(START - 0x1000, 1), "and those for a page that may reach into it");
	ok(!is_undisturbed(START - 0x20000, SIZE_MAX), "and those that make no sense");
	ok(!steady_holds(at(START + SIZE / 2), 1), "then nothing is steady any more");
	return tap_done();
}
