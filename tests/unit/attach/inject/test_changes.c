/* SPDX-License-Identifier: MIT
 *
 * test_changes.c - changes of code are made where no thread is in the bytes, and taken back where
 * they are still ours. The process is this one, and the threads are made up.
 */
#include "attach/inject/changes.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulated.h"
#include "tap.h"

#define PAGE  4096
#define COUNT 4

static uint8_t *code; /* two pages that are not writable */
static struct injected_change list[COUNT];
static const size_t places[COUNT] = { PAGE + 100, 16, 64, 32 };

/* Makes pages of other bytes, and a list that is not sorted. */
static void prepare(struct injected *block)
{
	code = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		    0);
	memset(code, 0x90, (size_t)2 * PAGE);
	mprotect(code, (size_t)2 * PAGE, PROT_READ | PROT_EXEC);
	for (size_t i = 0; i < COUNT; i++) {
		list[i] = (struct injected_change){ .address = (uintptr_t)code + places[i],
						    .size = 5 };
		memset(list[i].before, 0x90, 5);
		memset(list[i].after, 0xe0 + (int)i, 5);
	}
	*block = (struct injected){ .changes = (uintptr_t)list, .change_count = COUNT };
}

static void forget(void)
{
	munmap(code, (size_t)2 * PAGE);
}

/* Returns whether the bytes of a change, and none beside them, are its own. */
static bool is_made(size_t i)
{
	const uint8_t *at = code + places[i];

	return memcmp(at, list[i].after, 5) == 0 && at[-1] == 0x90 && at[5] == 0x90;
}

static bool is_as_before(size_t i)
{
	return memcmp(code + places[i], list[i].before, 5) == 0;
}

static size_t count_made(void)
{
	size_t made = 0;

	for (size_t i = 0; i < COUNT; i++)
		made += is_made(i);
	return made;
}

static void test_plain(void)
{
	const struct crew crew = { 0 };
	struct injected block;
	struct changes changes;
	size_t left = 99;

	prepare(&block);
	ok(changes_read(&changes, getpid(), &block) == 0, "the list is read");
	ok(changes_make(&changes, &crew, &left) == 0 && left == 0 && count_made() == COUNT,
	   "all changes are made, in pages that are not writable");
	ok(changes_take_back(&changes) == 0 && is_as_before(0) && is_as_before(1) &&
		   is_as_before(2) && is_as_before(3),
	   "all of them are taken back");
	changes_free(&changes);
	forget();
}

/* Returns the upper end of a stack, with nothing readable behind it. A stack of our own would have
 * the addresses of the list in frames of before. */
static uint64_t *end_of_stack(void)
{
	char *pages = mmap(NULL, (size_t)2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_NONE))
		bail_out("no memory");
	return (uint64_t *)(pages + PAGE);
}

static void place_at(struct remote *thread, uintptr_t pc, const uint64_t *stack)
{
	static const uintptr_t none[4];

	arch_remote_call(&thread->before.registers, pc, none, (uintptr_t)stack, 0);
}

static void test_threads(void)
{
	uint64_t *stack = end_of_stack() - 8;
	struct remote threads[2] = { { .pid = getpid() }, { .pid = getpid() } };
	const struct crew crew = { .threads = threads, .count = 2 };
	struct injected block;
	struct changes changes;
	size_t left;

	prepare(&block);
	/* In front of one, inside another; and a handler has interrupted a third. */
	place_at(&threads[0], list[0].address, stack);
	place_at(&threads[1], list[1].address + 1, stack);
	stack[5] = list[2].address + 4;
	stack[6] = list[3].address + 5;
	changes_read(&changes, getpid(), &block);
	ok(changes_make(&changes, &crew, &left) == 0 && left == 2 && is_made(0) &&
		   is_as_before(1) && is_as_before(2) && is_made(3),
	   "bytes in which a thread is, or will be after a handler, are left");
	place_at(&threads[1], 0, stack);
	stack[5] = 0;
	ok(changes_make(&changes, &crew, &left) == 0 && left == 0 && count_made() == COUNT,
	   "they are changed once it has left them");
	changes_free(&changes);
	forget();
}

static void test_others(void)
{
	const struct crew crew = { 0 };
	struct injected block;
	struct changes changes;
	size_t left;

	prepare(&block);
	list[1].before[0] = 0xcc;
	changes_read(&changes, getpid(), &block);
	changes.code.syscall = list[2].address + 3;
	ok(changes_make(&changes, &crew, &left) == 0 && left == 2 && count_made() == 2 &&
		   is_made(0) && is_made(3),
	   "bytes that are not those of the list are left, and code that we need");
	mprotect(code, PAGE, PROT_READ | PROT_WRITE);
	code[places[3]] = 0x55;
	mprotect(code, PAGE, PROT_READ | PROT_EXEC);
	munmap(code + PAGE, PAGE);
	ok(changes_take_back(&changes) == 0 && code[places[3]] == 0x55 &&
		   code[places[3] + 1] == list[3].after[1],
	   "bytes that are no longer ours, and memory that is gone, are left");
	changes_free(&changes);
	munmap(code, PAGE);
}

static void test_invalid(void)
{
	struct injected block;
	struct changes changes;

	prepare(&block);
	list[0].address = (uintptr_t)code + PAGE - 2;
	ok(changes_read(&changes, getpid(), &block) == -EINVAL, "a change on two pages is refused");
	changes_free(&changes);
	list[0].address = (uintptr_t)code;
	list[0].size = INJECTED_CHANGE + 1;
	ok(changes_read(&changes, getpid(), &block) == -EINVAL, "one that is too long is refused");
	changes_free(&changes);
	block.change_count = UINT64_MAX / 2;
	ok(changes_read(&changes, getpid(), &block) == -EINVAL, "too many of them are refused");
	changes_free(&changes);
	block.change_count = 1;
	block.changes = 16;
	ok(changes_read(&changes, getpid(), &block) == -EFAULT,
	   "a list that is nowhere is refused");
	changes_free(&changes);
	forget();
}

int main(void)
{
	if (!reads_processes()) {
		skip("changes of a process's code", NO_READING);
		return tap_done();
	}
	test_plain();
	test_threads();
	test_others();
	test_invalid();
	return tap_done();
}
