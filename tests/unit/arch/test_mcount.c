/* SPDX-License-Identifier: MIT
 *
 * test_mcount.c - mcount and __fentry__ preserve all registers, with counting off, for a new arc
 * and for a known one; and leave threads without thread-local variables alone.
 */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "emulated.h"
#include "registers.h"
#include "runtime/gmon/arcs_private.h"
#include "sys.h"
#include "tap.h"
#include "thread.h"

void pg_function(void);
/* NULL: compilers have no -mfentry for this CPU. */
__attribute__((weak)) void fentry_function(void);

static uint64_t calls(void)
{
	uint64_t sum = 0;

	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++)
			sum += chunk->arcs.arcs[i].count;
	return sum;
}

static void check(void (*function)(void), uint64_t counted, const char *which)
{
	struct registers given, got;
	uint64_t before = calls();

	fill(&given);
	fill(&registers_results);
	registers_call((void *)function, &given, &got);
	ok(arguments_arrive(&given) && chain_arrives(&given), "arguments arrive %s", which);
	ok(are_kept(&given, &got) && are_kept(&given, &registers_arrived),
	   "the caller's registers are kept %s", which);
	ok(calls() == before + counted, "and the call is %scounted", counted ? "" : "not ");
}

/* Not on i386, where clone() takes a segment for a thread pointer. */
#ifdef __LP64__
static int call_and_exit(void *function)
{
	struct registers given, got;

	fill(&given);
	registers_call(function, &given, &got);
	/* libc's would be bound now, and glibc looks for the thread below its block meanwhile. */
	sys_exit_group(0);
}

/* The block at the thread pointer, or just below it, is blank, and nothing is mapped further below.
 */
static void check_blank(void (*function)(void), const char *which)
{
	const size_t page = 65536;
	const int flags = CLONE_VM | CLONE_VFORK | CLONE_SETTLS | SIGCHLD;
	static _Alignas(16) char stack[65536];
	char *memory = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before = calls(), lost = arcs_lost;
	int status = -1;

	mprotect(memory + page, page, PROT_READ | PROT_WRITE);
	waitpid(clone(call_and_exit, stack + sizeof(stack), flags, (void *)function, NULL,
		      memory + page + TCB_BELOW, NULL),
		&status, 0);
	ok(status == 0, "a thread that libc has not made goes through %s", which);
	if (is_emulated())
		skip("and its call is lost",
		     "the emulator makes a fork of CLONE_VM and CLONE_VFORK");
	else
		ok(calls() == before && arcs_lost == lost + 1, "and its call is lost");
	munmap(memory, 3 * page);
}
#endif

int main(void)
{
	void (*fentry)(void) = fentry_function;

	check(pg_function, 0, "by mcount, while counting is off");
	if (fentry)
		check(fentry, 0, "by __fentry__, while counting is off");
	arcs_start();
	check(pg_function, 1, "by mcount, of the first arc");
	check(pg_function, 1, "by mcount, of an arc that is known");
	if (fentry) {
		check(fentry, 1, "by __fentry__, of a new arc");
		check(fentry, 1, "by __fentry__, of an arc that is known");
	}
#ifdef __LP64__
	check_blank(pg_function, "mcount");
	if (fentry)
		check_blank(fentry, "__fentry__");
#endif
	return tap_done();
}
