/* SPDX-License-Identifier: MIT
 *
 * calls_coroutines.c - coroutines that are switched inside functions of a library, so that these
 * return in another order than they were called in, on other threads, or never. Each finds its
 * results in order all the same.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "calls_lib.h"
#include "calls_target.h"

#define COROUTINES 20
#define DEPTH      8
#define ROUNDS     50
#define STACK_SIZE 16384

struct coroutine {
	char *stack;
	bool started, done;
	long result;
	ucontext_t context, back;           /* by_context */
	sigjmp_buf jump_context, jump_back; /* by_jump */
	void *sp, *back_sp;                 /* by_assembly */
};

/* A way to switch: into a coroutine, and from it back to the code that entered it. */
struct way {
	void (*enter)(struct coroutine *c);
	void (*leave)(struct coroutine *c);
};

static struct coroutine coroutines[COROUTINES], *current;
static const struct way *way;
static unsigned int random_state = 1;

/* The same numbers on every machine. */
static unsigned int random_below(unsigned int limit)
{
	random_state = random_state * 1103515245 + 12345;
	return (random_state >> 16) % limit;
}

static void yield(void)
{
	way->leave(current);
}

/* Yields on each level on the way down and on the way up. */
static NOINLINE long level(long depth)
{
	struct coroutine *self = current;
	long result;

	yield();
	result = depth ? lib_call(level, depth - 1) : lib_add(1000, 0);
	yield();
	return result + depth + (self == current ? 0 : 1000000);
}

/* Runs in a coroutine; its last act is to leave it. */
static void body(void)
{
	struct coroutine *self = current;

	self->result = lib_call(level, DEPTH);
	self->done = true;
	for (;;)
		yield();
}

static void enter(struct coroutine *c)
{
	current = c;
	way->enter(c);
	c->started = true;
}

/* swapcontext() */
static void context_enter(struct coroutine *c)
{
	if (!c->started) {
		getcontext(&c->context);
		c->context.uc_stack.ss_sp = c->stack;
		c->context.uc_stack.ss_size = STACK_SIZE;
		c->context.uc_link = NULL;
		makecontext(&c->context, body, 0);
	}
	swapcontext(&c->back, &c->context);
}

static void context_leave(struct coroutine *c)
{
	swapcontext(&c->context, &c->back);
}

static const struct way by_context = { context_enter, context_leave };

/* As QEMU does it: a context only to get onto the stack, then jumps from one stack to another. */
static void jump_enter(struct coroutine *c)
{
	if (sigsetjmp(c->jump_back, 0) != 0)
		return;
	if (c->started)
		siglongjmp(c->jump_context, 1);
	context_enter(c);
}

static void jump_leave(struct coroutine *c)
{
	if (sigsetjmp(c->jump_context, 0) == 0)
		siglongjmp(c->jump_back, 1);
}

static const struct way by_jump = { jump_enter, jump_leave };

#ifdef __x86_64__
void switch_stacks(void **save, void *load);
__asm__(".pushsection .text\n"
	".globl switch_stacks\n"
	".type switch_stacks, @function\n"
	"switch_stacks:\n"
	"	push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"	ret\n"
	".size switch_stacks, . - switch_stacks\n"
	".popsection\n");

static void assembly_enter(struct coroutine *c)
{
	if (!c->started) {
		/* Six registers, then where to return to; the stack is then as after a call. */
		void **top = (void **)(c->stack + STACK_SIZE) - 2;

		top[0] = (void *)body;
		top[1] = NULL;
		c->sp = top - 6;
	}
	switch_stacks(&c->back_sp, c->sp);
}

static void assembly_leave(struct coroutine *c)
{
	switch_stacks(&c->sp, c->back_sp);
}

static const struct way by_assembly = { assembly_enter, assembly_leave };
#endif

static char *map_stack(void)
{
	char *stack =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		fail("mmap");
	return stack;
}

/* Places the stacks side by side in `memory`; NULL: each gets a mapping of its own. */
static void give_stacks(char *memory)
{
	for (int i = 0; i < COROUTINES; i++)
		coroutines[i].stack = memory ? memory + i * STACK_SIZE : map_stack();
}

static int unfinished_count(void)
{
	int count = 0;

	for (int i = 0; i < COROUTINES; i++)
		count += !coroutines[i].done;
	return count;
}

/* Enters one that is not done, at random. */
static void step(void)
{
	unsigned int i = random_below(COROUTINES);

	while (coroutines[i].done)
		i = (i + 1) % COROUTINES;
	enter(&coroutines[i]);
}

static void begin_round(void)
{
	for (int i = 0; i < COROUTINES; i++)
		coroutines[i].started = coroutines[i].done = false;
}

static long end_round(void)
{
	long sum = 0;

	for (int i = 0; i < COROUTINES; i++)
		sum += coroutines[i].result;
	return sum;
}

/* The scheduler itself runs in a callback of the library. */
static NOINLINE long one_round(long unused)
{
	begin_round();
	while (unfinished_count() > 0)
		step();
	return end_round() + unused;
}

static void expect_all(int rounds, int more_calls)
{
	expect("lib_call calls=%d", rounds * COROUTINES * (DEPTH + 1) + more_calls);
	expect("lib_add calls=%d", rounds * COROUTINES);
}

static void run_rounds(const struct way *which, char *memory)
{
	long sum = 0;

	way = which;
	give_stacks(memory);
	for (int i = 0; i < ROUNDS; i++)
		sum += lib_call(one_round, i);
	printf("sum %ld\n", sum);
}

static void rounds_of(const struct way *which, char *memory)
{
	run_rounds(which, memory);
	expect_all(ROUNDS, ROUNDS);
}

static void out_of_order(void)
{
	rounds_of(&by_context, NULL);
}

static void side_by_side(void)
{
	rounds_of(&by_context, malloc(COROUTINES * STACK_SIZE));
}

static void jumps(void)
{
	rounds_of(&by_jump, NULL);
}

static void jumps_side_by_side(void)
{
	rounds_of(&by_jump, malloc(COROUTINES * STACK_SIZE));
}

static void assembly(void)
{
#ifdef __x86_64__
	rounds_of(&by_assembly, NULL);
#else
	skip_scenario("the switch is written for x86-64");
#endif
}

/*
 * Above everything that main() calls from here on, and yet below what it was called by. So calls
 * look as if they had been jumped over, and may go without a time or be taken for abandoned.
 */
static void on_the_main_stack(void)
{
	char memory[COROUTINES * STACK_SIZE] __attribute__((aligned(16)));

	run_rounds(&by_context, memory);
	expect("lib_call calls=%d abandoned=? untimed=?",
	       ROUNDS * COROUTINES * (DEPTH + 1) + ROUNDS);
	expect("lib_add calls=%d abandoned=? untimed=?", ROUNDS * COROUTINES);
	__asm__ volatile("" : : "r"(memory) : "memory");
}

static pthread_barrier_t handover;
static volatile bool over;

/* Two threads take turns, a step each. */
static void *every_other_step(void *second)
{
	for (bool mine = !second;; mine = !mine) {
		if (mine) {
			over = unfinished_count() == 0;
			if (!over)
				step();
		}
		/* No thread changes `over` between these two barriers. */
		pthread_barrier_wait(&handover);
		if (over)
			return NULL;
		pthread_barrier_wait(&handover);
	}
}

static void on_two_threads(void)
{
	pthread_t threads[2];
	long sum = 0;

	way = &by_context;
	give_stacks(NULL);
	pthread_barrier_init(&handover, NULL, 2);
	for (int i = 0; i < 5; i++) {
		begin_round();
		over = false;
		for (int j = 0; j < 2; j++)
			pthread_create(&threads[j], NULL, every_other_step, j ? &threads[j] : NULL);
		for (int j = 0; j < 2; j++)
			pthread_join(threads[j], NULL);
		sum += end_round();
	}
	printf("sum %ld\n", sum);
	expect_all(5, 0);
}

static int short_lives;

/* Takes some steps; then the thread ends. */
static void *a_few_steps(void *unused)
{
	for (int i = 0; i < 7 && unfinished_count() > 0; i++)
		step();
	lib_add(short_lives, 1);
	return unused;
}

/* A coroutine outlives the threads that it ran on. */
static void after_its_thread(void)
{
	long sum = 0;

	way = &by_context;
	give_stacks(NULL);
	for (int i = 0; i < 5; i++) {
		begin_round();
		while (unfinished_count() > 0) {
			pthread_t thread;

			pthread_create(&thread, NULL, a_few_steps, NULL);
			pthread_join(thread, NULL);
			short_lives++;
		}
		sum += end_round();
	}
	printf("sum %ld, %d threads\n", sum, short_lives);
	expect_all(5, 0);
	expect("lib_add calls=%d", short_lives);
}

static void later_calls(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += lib_add(i, 1);
	printf("later: %ld\n", sum);
}

static NOINLINE long never_comes_back(long x)
{
	yield();
	return x;
}

static void unfinished_body(void)
{
	lib_call(never_comes_back, 1);
}

static void begin_unfinished(struct coroutine *c)
{
	getcontext(&c->context);
	c->context.uc_stack.ss_sp = c->stack;
	c->context.uc_stack.ss_size = STACK_SIZE;
	c->context.uc_link = NULL;
	makecontext(&c->context, unfinished_body, 0);
	current = c;
	swapcontext(&c->back, &c->context);
}

/* Leaves each coroutine on a stack of its own. It cannot be known whether it will ever go on. */
static void never_finished(void)
{
	way = &by_context;
	for (int i = 0; i < 10000; i++) {
		coroutines[0].stack = map_stack();
		begin_unfinished(&coroutines[0]);
	}
	later_calls();
	expect("lib_call calls=10000 returned=0 abandoned=? untimed=? running=?");
	expect("lib_add calls=1000");
}

/* The same stack is used again and again, so that the frames that were on it are gone. */
static void stack_used_again(void)
{
	way = &by_context;
	coroutines[0].stack = map_stack();
	for (int i = 0; i < 10000; i++)
		begin_unfinished(&coroutines[0]);
	later_calls();
	expect("lib_call calls=10000 returned=0 abandoned=9999..10000 running=0..1");
	expect("lib_add calls=1000");
}

static const struct scenario scenarios[] = {
	{ "out_of_order", out_of_order },
	{ "side_by_side", side_by_side },
	{ "jumps", jumps },
	{ "jumps_side_by_side", jumps_side_by_side },
	{ "assembly", assembly },
	{ "on_the_main_stack", on_the_main_stack },
	{ "on_two_threads", on_two_threads },
	{ "after_its_thread", after_its_thread },
	{ "never_finished", never_finished },
	{ "stack_used_again", stack_used_again },
};

MAIN_OF(scenarios)
