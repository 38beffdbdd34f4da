/* SPDX-License-Identifier: MIT
 *
 * test_own_stack.c - finding a thread's own stack by /proc/self/maps, and what follows from it.
 */
#include <pthread.h>

#include "../../apart.h"
#include "runtime/calls/own_stack.h"
#include "sys.h"

/* Replaces process.c and start.c: there is no recording here. */
struct calls_state calls_state;
uint32_t calls_alive[1024];

static char in_data;

/* Returns an address below the caller's variables. Not inlined: on riscv64, the frame address of a
 * function is the stack pointer of its caller, which may be that of an array there. */
static __attribute__((noinline)) uintptr_t here(void)
{
	return (uintptr_t)__builtin_frame_address(0);
}

/* As threads.c makes it. */
static struct calls_thread this_thread(void)
{
	return (struct calls_thread){ .tid = sys_gettid(),
				      .pointer = arch_thread_pointer(),
				      .is_first = getpid() == gettid() };
}

static void check_bounds(const char *whose)
{
	struct calls_thread thread = this_thread();
	void *heap = malloc(100), *mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile char local = 0;
	struct own_stack_view view = own_stack_view(&thread, here());
	uintptr_t sp = here();

	ok(own_stack_runs(&view, (uintptr_t)&local) && own_stack_runs(&view, sp),
	   "%s: local variables are on its own stack", whose);
	ok(!own_stack_runs(&view, (uintptr_t)heap) && !own_stack_runs(&view, (uintptr_t)mapped) &&
		   !own_stack_runs(&view, (uintptr_t)&in_data) &&
		   !own_stack_runs(&view, (uintptr_t)check_bounds) && !own_stack_runs(&view, 0) &&
		   !own_stack_runs(&view, UINTPTR_MAX),
	   "%s: what is allocated is not, nor data, nor code", whose);
	ok(own_stack_gone(&view, sp - 1000, sp) && !own_stack_gone(&view, sp + 1000, sp),
	   "%s: a frame below is gone, one above is not", whose);
	ok(!own_stack_gone(&view, (uintptr_t)heap, sp), "%s: elsewhere none is", whose);
	view = own_stack_view(&thread, (uintptr_t)mapped + 30000);
	ok(!own_stack_runs(&view, sp) && !own_stack_gone(&view, sp, (uintptr_t)mapped + 30000) &&
		   !own_stack_gone(&view, (uintptr_t)mapped + 20000, (uintptr_t)mapped + 30000),
	   "%s: seen from another stack, nothing can be said", whose);
	ok(own_stack_was(&thread, sp) && !own_stack_was(&thread, (uintptr_t)heap),
	   "%s: it is remembered where it was", whose);
	free(heap);
	munmap(mapped, 65536);
}

static void first_thread(void)
{
	check_bounds("the first thread");
}

static void *in_thread(void *unused)
{
	check_bounds("another thread");
	return unused;
}

static void other_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
		bail_out("there is no thread to test in");
}

/* The first thread's stack is mapped as it is needed. */
static __attribute__((noinline)) bool runs_far_below(struct calls_thread *thread, int kilobytes)
{
	volatile char space[1024];
	struct own_stack_view view;
	bool runs;

	space[0] = 1;
	if (kilobytes > 0) {
		runs = runs_far_below(thread, kilobytes - 1);
	} else {
		view = own_stack_view(thread, here());
		runs = own_stack_runs(&view, here());
	}
	space[1] = space[0];
	return runs;
}

static void stack_that_grows(void)
{
	struct calls_thread thread = this_thread();
	struct own_stack_view view = own_stack_view(&thread, here());

	ok(own_stack_runs(&view, here()) && runs_far_below(&thread, 4096),
	   "the first thread's stack grows");
}

/* The signal stack. */
static struct own_stack_view seen_in_handler;
static uintptr_t handler_sp;

static void on_signal(int sig)
{
	struct calls_thread thread = this_thread();

	(void)sig;
	handler_sp = here();
	seen_in_handler = own_stack_view(&thread, handler_sp);
}

static void check_handlers(char *stack, size_t size, const char *where)
{
	stack_t handlers = { .ss_sp = stack, .ss_size = size };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	struct calls_thread thread = this_thread();
	struct own_stack_view view;
	uintptr_t sp = here(), middle = (uintptr_t)stack + size / 2;

	if (sigaltstack(&handlers, NULL) || sigaction(SIGUSR1, &action, NULL))
		bail_out("there is no stack for handlers");
	raise(SIGUSR1);
	ok(own_stack_runs(&seen_in_handler, handler_sp) && !own_stack_runs(&seen_in_handler, sp) &&
		   !own_stack_gone(&seen_in_handler, sp, handler_sp) &&
		   !own_stack_gone(&seen_in_handler, sp - 5000, handler_sp),
	   "%s: in a handler, what it interrupts is not gone, be it higher or lower", where);
	view = own_stack_view(&thread, sp);
	ok(own_stack_gone(&view, middle, sp) && !own_stack_gone(&view, (uintptr_t)stack + size, sp),
	   "%s: outside, what the handler called is gone", where);
	handlers.ss_flags = SS_DISABLE;
	sigaltstack(&handlers, NULL);
}

static void handlers_elsewhere(void)
{
	static char elsewhere[65536];

	check_handlers(elsewhere, sizeof(elsewhere), "a stack elsewhere");
}

/* Above the running code, so that by its address the handler might be a caller. */
static void handlers_above(void)
{
	char above[65536];

	check_handlers(above, sizeof(above), "a part of the thread's own stack");
}

int main(void)
{
	apart("the first thread", first_thread);
	apart("another thread", other_thread);
	apart("a stack that grows", stack_that_grows);
	apart("handlers elsewhere", handlers_elsewhere);
	apart("handlers above", handlers_above);
	return tap_done();
}
