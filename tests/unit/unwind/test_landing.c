/* SPDX-License-Identifier: MIT
 *
 * test_landing.c - checks if the code before a return address has called a function: directly, by a
 * pointer, by the PLT, or not at all; and finds a return address that was overwritten elsewhere in
 * its frame.
 */
#include "unwind/landing.h"

#include <stdlib.h>

#include "self.h"

#define LARGER (4096 / sizeof(uintptr_t) + 1) /* words, than a frame that is searched */

static uintptr_t back, back_in_libc;

/* Returns a caller at that return address, with the other registers of a caller of this program's
 * functions: a register that locates tables is the same in all. */
static struct registers caller_at(uintptr_t address)
{
	ucontext_t context;
	struct registers caller;

	getcontext(&context);
	registers_of(&caller, &context);
	caller.value[ARCH_FRAME_PC] = address;
	return caller;
}

static bool was_called(const struct memory *memory, uintptr_t pc, uintptr_t address)
{
	struct registers caller = caller_at(address);

	return landing_was_called(memory, pc, &caller);
}

__attribute__((noinline)) static void called(void)
{
	back = (uintptr_t)__builtin_return_address(0);
}

__attribute__((noinline)) static void another(void)
{
	back = (uintptr_t)__builtin_return_address(0);
	__asm__ volatile("nop");
}

static int compare(const void *a, const void *b)
{
	back_in_libc = (uintptr_t)__builtin_return_address(0);
	return *(const int *)a - *(const int *)b;
}

static struct memory self_memory(void)
{
	return (struct memory){ .read = memory_read_self, .table = objects_enter(&self_objects) };
}

/* Calls qsort() near its beginning. */
static __attribute__((noinline)) void call_library(void)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(numbers[0]), compare);
	__asm__ volatile("" ::: "memory");
}

/* Finds the first call of that function behind an address. */
static uintptr_t find_call(const struct memory *memory, uintptr_t from, uintptr_t function)
{
	for (uintptr_t at = from + ARCH_CALL_BYTES; at < from + 256; at++)
		if (was_called(memory, function, at))
			return at;
	return 0;
}

/* Looks for a caller of called() in these words of its frame. Returns the return address; 0: none.
 */
static uintptr_t found_in(struct memory *memory, uintptr_t *words, size_t count)
{
	struct registers caller = caller_at((uintptr_t)another);
	uintptr_t end = (uintptr_t)(words + count);

	caller.value[ARCH_FRAME_SP] = end;
	if (!landing_find_caller(memory, (uintptr_t)called + 1, (uintptr_t)words, &caller))
		return 0;
	ok(caller.value[ARCH_FRAME_SP] == end && !registers_know(&caller, arch_frame_kept[0]) &&
		   !caller.exact,
	   "the frame ends where it did, and registers that were overwritten are not known");
	return caller.value[ARCH_FRAME_PC];
}

static void test_copies(struct memory *memory)
{
	uintptr_t words[LARGER] = { 1, (uintptr_t)called };

	called();
	words[4] = back;
	ok(found_in(memory, words, 5) == back, "a copy of the return address is in the frame");
	ok(!found_in(memory, words, 4), "nothing above the frame is looked at");
	ok(!found_in(memory, words, LARGER), "nor a frame that is larger than any");
	another();
	words[4] = back;
	ok(!found_in(memory, words, 5), "a return address of another function is not a copy");
}

int main(void)
{
	void (*volatile pointer)(void) = called;
	struct memory memory;

	self_init();
	memory = self_memory();
	called();
	ok(was_called(&memory, (uintptr_t)called + 1, back), "a direct call is one of it");
	ok(!was_called(&memory, (uintptr_t)another + 1, back), "and not of another function");
	ok(!was_called(&memory, (uintptr_t)called + 1, back - 1) &&
		   !was_called(&memory, (uintptr_t)called + 1, back + 1),
	   "beside it there is no call");
	another();
	ok(was_called(&memory, (uintptr_t)another + 1, back), "the other one has its own");
	pointer();
	ok(!was_called(&memory, (uintptr_t)called + 1, back),
	   "the target of a call by a register is not known afterwards");
	call_library();
	ok(find_call(&memory, (uintptr_t)call_library, (uintptr_t)qsort + 1),
	   "a call of a library's function is found behind the PLT, or the GOT");
	ok(!find_call(&memory, (uintptr_t)call_library, (uintptr_t)getenv + 1),
	   "and is of that function alone");
	ok(back_in_libc && !was_called(&memory, (uintptr_t)compare + 1, back_in_libc),
	   "a callback is called by a pointer");
	ok(!was_called(&memory, 0, back) && !was_called(&memory, (uintptr_t)called, 8),
	   "an unreadable address is not a call");
	test_copies(&memory);
	return tap_done();
}
