/* SPDX-License-Identifier: MIT
 *
 * test_steps.c - the walk at every single instruction, compared with the effect of the
 * instructions: the trap flag stops the program after each, and a list of all calls that have not
 * returned yet is kept by examining each executed instruction. libgcc's result is compared as well:
 * if both agree and differ from the list, the call frame information is wrong.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "oddities.h"
#include "self.h"
#include "trap.h"

#define CALLS_MAX 400

/* ---- what the instructions did ---- */

/* A call that has not returned: the place of its return address, and its value. */
struct call {
	uintptr_t at, back;
};

static struct {
	struct call calls[CALLS_MAX];
	int depth;
	uintptr_t pc, sp; /* before the last executed instruction */
	uint64_t base[UNWIND_DEPTH];
	int base_count; /* the callers of the start */
	bool stepping, stop;
	struct unwind unwind;
	long limit, steps, wrong, misled, doubtful, libgcc_wrong;
	struct trace libgcc;
	uint64_t pcs[UNWIND_DEPTH], expected[UNWIND_DEPTH];
} s;

static void follow(uintptr_t pc, uintptr_t sp)
{
	/* The instruction can still be read, except for the last one before exec or munmap. */
	if (sp == s.sp - sizeof(uintptr_t) && trap_is_call((const uint8_t *)s.pc) &&
	    s.depth < CALLS_MAX)
		s.calls[s.depth++] = (struct call){ sp, *(const uintptr_t *)sp };
	while (s.depth && s.calls[s.depth - 1].at < sp)
		s.depth--;
	s.pc = pc;
	s.sp = sp;
}

static int expect(uintptr_t pc)
{
	int count = 0;

	s.expected[count++] = pc;
	for (int i = s.depth - 1; i >= 0; i--)
		s.expected[count++] = s.calls[i].back;
	for (int i = 0; i < s.base_count; i++)
		s.expected[count++] = s.base[i];
	return count;
}

/* ---- the two walks ---- */

static void tell(const char *who, const uint64_t *pcs, int count, int expected)
{
	int common = 0;
	Dl_info info = { 0 };

	while (common < count && common < expected && pcs[common] == s.expected[common])
		common++;
	dladdr((void *)(uintptr_t)s.expected[0], &info);
	note("%s at %#lx (%s %s+%#lx): %d frames of %d, the first %d right", who,
	     (unsigned long)s.expected[0], info.dli_fname ? info.dli_fname : "?",
	     info.dli_sname ? info.dli_sname : "?",
	     (unsigned long)(s.expected[0] - (uintptr_t)info.dli_fbase), count, expected, common);
}

static void compare(const ucontext_t *uc)
{
	struct registers registers;
	int count, expected;
	bool equal;

	registers_of(&registers, uc);
	if (is_described_wrongly(registers.value[ARCH_FRAME_PC]))
		return;
	count = unwind_walk(&s.unwind, &registers, s.pcs, UNWIND_DEPTH);
	expected = expect(registers.value[ARCH_FRAME_PC]);
	equal = count == expected && memcmp(s.pcs, s.expected, (size_t)count * sizeof(*s.pcs)) == 0;
	/* If this walk was lost, or found a wrong description, libgcc might fault. */
	s.libgcc.count = 0;
	if (s.unwind.reason == UNWIND_END && s.unwind.certain == count)
		trace_from(&s.libgcc, registers.value[ARCH_FRAME_PC]);
	if (!trace_equal(&s.libgcc, s.expected, expected) && s.libgcc_wrong++ < 2)
		tell("libgcc is wrong", s.libgcc.pcs, s.libgcc.count, expected);
	if (equal && s.unwind.reason == UNWIND_END)
		return;
	if (s.unwind.reason != UNWIND_END || s.unwind.certain != count)
		s.doubtful++;
	else if (trace_equal(&s.libgcc, s.pcs, count))
		s.misled++;
	else
		s.wrong++;
	if (s.wrong + s.doubtful + s.misled < 3) {
		tell("this walk", s.pcs, count, expected);
		note("  reason: %s, certain: %d", unwind_reason_name(s.unwind.reason),
		     s.unwind.certain);
	}
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct registers registers;
	uintptr_t pc, sp;

	(void)sig;
	(void)info;
	registers_of(&registers, uc);
	pc = registers.value[ARCH_FRAME_PC];
	sp = registers.value[ARCH_FRAME_SP];
	if (!s.stepping) {
		s.base_count = unwind_walk(&s.unwind, &registers, s.base, UNWIND_DEPTH) - 1;
		memmove(s.base, s.base + 1, (size_t)s.base_count * sizeof(*s.base));
		s.depth = 0;
		s.pc = pc;
		s.sp = sp;
		s.stepping = true;
		trap_context(uc, true);
		return;
	}
	follow(pc, sp);
	if (s.stop || s.steps == s.limit) {
		trap_context(uc, false);
		return;
	}
	s.steps++;
	compare(uc);
}

/* ---- what is stepped through ---- */

#define NOINLINE __attribute__((noinline))

static volatile int sunk;

NOINLINE static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void sorting(void)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = i * 7919 % 101;
	qsort(numbers, 40, sizeof(*numbers), by_number);
	sunk += numbers[3];
}

static void printing(void)
{
	char text[200];

	snprintf(text, sizeof(text), "%s %.3f %d %#lx", "text", 3.25e20, 42, 0xdeadUL);
	sunk += (int)strtod(text + 5, NULL);
}

/* Functions of libm, and others not called before: the linker binds them now. */
static void binding(void)
{
	struct tm tm = { .tm_year = 100 };

	sunk += (int)timegm(&tm);
	sunk += (int)labs(-3) + (int)strlen(getenv("PATH") ? getenv("PATH") : "");
	sunk += (int)strtoul("77", NULL, 8);
	sunk += getppid();
}

NOINLINE static int recursion(int depth)
{
	volatile char room[100];

	room[depth % 100] = (char)depth;
	return depth ? recursion(depth - 1) + room[depth % 100] : 0;
}

static void recursing(void)
{
	sunk += recursion(200);
}

NOINLINE static int with_alloca(int size)
{
	char *room = alloca((size_t)size);

	memset(room, size, (size_t)size);
	return room[size / 2] + recursion(3);
}

static void allocating(void)
{
	for (int i = 1; i < 300; i += 50)
		sunk += with_alloca(i);
}

/* The stack is aligned to more than the ABI requires, and of variable size: gcc then describes the
 * CFA by an expression. */
NOINLINE static int aligned(int size)
{
	char lined[64] __attribute__((aligned(64)));
	char *room = alloca((size_t)size);

	memset(lined, size, sizeof(lined));
	memset(room, size, (size_t)size);
	return lined[5] + room[0] + recursion(2);
}

static void aligning(void)
{
	for (int i = 1; i < 100; i += 20)
		sunk += aligned(i);
}

static void allocating_heap(void)
{
	char *blocks[20];

	for (int i = 0; i < 20; i++)
		blocks[i] = calloc(1, (size_t)i * 300 + 1);
	for (int i = 0; i < 20; i++)
		free(blocks[i]);
}

static jmp_buf landing;

NOINLINE __attribute__((noreturn)) static void leap(int depth)
{
	if (depth)
		leap(depth - 1);
	longjmp(landing, 1);
}

/* The call is the last instruction of its function: the return address belongs to the next. */
NOINLINE static void leaper(void)
{
	leap(5);
}

static void leaping(void)
{
	if (!setjmp(landing))
		leaper();
}

static void telling_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	sunk += (int)now.tv_nsec + (int)time(NULL);
}

static void opening(void)
{
	void *library = dlopen("libm.so.6", RTLD_LAZY);
	double (*cosine)(double) = library ? (double (*)(double))dlsym(library, "cos") : NULL;

	if (cosine)
		sunk += (int)cosine(0.5);
}

static void on_user(int sig)
{
	sunk += sig;
}

/* Its handler is not stepped through, but the code it returns to is. */
static void signalling(void)
{
	raise(SIGUSR1);
}

/* misled, doubtful: how many instructions may be described wrongly, and not at all. */
static void step_through(const char *what, void (*body)(void), long misled, long doubtful)
{
	s.limit = 200000;
	s.steps = s.wrong = s.misled = s.doubtful = s.libgcc_wrong = 0;
	s.stop = s.stepping = false;
	TRAP_HERE();
	body();
	s.stop = true;
	__asm__ volatile("nop\n\tnop");
	ok(s.steps > 20 && !s.wrong && s.misled <= misled && s.doubtful <= doubtful,
	   "%s: %ld instructions, %ld wrong, %ld misled, %ld doubtful; libgcc %ld wrong", what,
	   s.steps, s.wrong, s.misled, s.doubtful, s.libgcc_wrong);
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	static char handler_stack[256 * 1024];
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };

	self_init();
	s.unwind = self_unwind();
	s.unwind.memory.stack = self_stack();
	s.unwind.memory.own = false;
	sigaltstack(&stack, NULL);
	sigaction(SIGTRAP, &act, NULL);
	signal(SIGUSR1, on_user);
	step_through("lazy binding", binding, 0, 0);
	step_through("qsort()", sorting, 0, 0);
	step_through("printf()", printing, 0, 0);
	step_through("recursion", recursing, 0, 0);
	step_through("alloca()", allocating, 0, 0);
	step_through("an aligned stack", aligning, 0, 0);
	step_through("malloc()", allocating_heap, 0, 0);
	/* On its last steps, longjmp() is described as if it had arrived already. */
	step_through("longjmp(), and functions that end in a call", leaping, 30, 0);
	step_through("vdso", telling_time, 0, VDSO_UNDESCRIBED);
	step_through("signals", signalling, 0, 0);
	/* Code of an object being opened runs before it is reported. */
	step_through("dlopen()", opening, 0, 5000);
	return tap_done();
}
