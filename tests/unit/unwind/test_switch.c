/* SPDX-License-Identifier: MIT
 *
 * test_switch.c - walks through code without call frame information that has changed the stack: as
 * Go does for C, and as fiber libraries start theirs.
 */
#include <signal.h>
#include <stdlib.h>

#include "self.h"

#ifdef __x86_64__

#define NOINLINE __attribute__((noinline))

/* Holds the end of a stack, as a goroutine does. */
struct owner {
	char *start, *end;
};

/* run_elsewhere(): calls f on another stack. It keeps there the owner of its own stack, and its
 * distance from the end of that: the stack may be moved meanwhile. run_first(): calls f as the
 * first function of a stack, which cannot return. Nothing describes them. */
void run_elsewhere(void (*f)(void), char *top, struct owner *owner);
void run_first(void (*f)(void), char *top, void *unused);
extern const char first_frame[];
__asm__(".text\n"
	".globl run_elsewhere, run_first, first_frame\n"
	".type run_elsewhere, @function\n"
	"run_elsewhere:\n"
	"	mov %rsp, %rcx\n"
	"	mov %rsi, %rsp\n"
	"	sub $64, %rsp\n"
	"	mov %rdx, 48(%rsp)\n"
	"	mov 8(%rdx), %rdx\n"
	"	sub %rcx, %rdx\n"
	"	mov %rdx, 40(%rsp)\n"
	"	call *%rdi\n"
	"	mov 48(%rsp), %rdi\n"
	"	mov 8(%rdi), %rsi\n"
	"	sub 40(%rsp), %rsi\n"
	"	mov %rsi, %rsp\n"
	"	ret\n"
	".size run_elsewhere, . - run_elsewhere\n"
	".type run_first, @function\n"
	"run_first:\n"
	"	mov %rsi, %rsp\n"
	"	lea first_frame(%rip), %rax\n"
	"	push %rax\n"
	"	lea 3(%rsp), %rbp\n" /* leads nowhere */
	"	jmp *%rdi\n"
	"first_frame:\n"
	"	xor %edi, %edi\n"
	"	call _exit@PLT\n"
	"	hlt\n"
	".size run_first, . - run_first\n");

static struct {
	struct unwind unwind;
	uint64_t pcs[UNWIND_DEPTH];
	int count;
} last;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct registers registers;

	(void)sig;
	(void)info;
	last.unwind = self_unwind();
	registers_of(&registers, context);
	last.count = unwind_walk(&last.unwind, &registers, last.pcs, UNWIND_DEPTH);
}

NOINLINE static void walk_here(void)
{
	raise(SIGUSR1);
	__asm__ volatile("" ::: "memory");
}

static char stack[65536] __attribute__((aligned(16)));

/* The frames above this one are the same, whichever stack the walk begins on. */
NOINLINE static void to_another_stack(void)
{
	struct owner owner = { .start = (char *)&owner, .end = (char *)((uintptr_t)&owner + 4096) };
	uint64_t above[UNWIND_DEPTH];
	int count, missing;

	walk_here();
	count = last.count;
	memcpy(above, last.pcs, sizeof(above));
	run_elsewhere(walk_here, stack + sizeof(stack), &owner);
	missing = count + 1 - last.count;
	ok(missing == 0 && last.unwind.reason == UNWIND_END,
	   "the caller is found on the stack that was left: %d frames, %s", last.count,
	   unwind_reason_name(last.unwind.reason));
	ok(missing == 0 && last.unwind.certain < last.count, "that is a guess");
	/* All but this function's are equal, which is in another of its calls. */
	for (int i = count - 1; missing == 0 && above[i] - (uintptr_t)to_another_stack > 4096; i--)
		missing = above[i] != last.pcs[i + 1];
	ok(missing == 0, "with all who called it");
}

static ucontext_t back;
static volatile bool is_back;

static void walk_and_go_back(void)
{
	walk_here();
	is_back = true;
	setcontext(&back);
}

NOINLINE static void from_the_first_frame(void)
{
	getcontext(&back);
	if (!is_back)
		run_first(walk_and_go_back, stack + sizeof(stack) - 64, NULL);
	ok(last.count > 2 && last.pcs[last.count - 1] == (uintptr_t)first_frame &&
		   last.unwind.reason == UNWIND_LIKELY_END,
	   "a function that can only end the program is the first frame of its stack: %d frames, "
	   "%s",
	   last.count, unwind_reason_name(last.unwind.reason));
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	self_init();
	sigaction(SIGUSR1, &act, NULL);
	to_another_stack();
	from_the_first_frame();
	return tap_done();
}

#else

int main(void)
{
	skip("other stacks", "the code that changes them is of x86-64");
	return tap_done();
}

#endif
