/* SPDX-License-Identifier: MIT
 *
 * exceptions_walk.c - the walks of test_exceptions.cc, since the headers of the walker are C.
 */
#include <signal.h>
#include <sys/time.h>

#include "emulated.h"
#include "oddities.h"
#include "self.h"

/* An emulator takes longer for a signal than for the code between two of them. */
#define EMULATED_WALKS 2000
#define EMULATED_US    2000

void walk_start(void);
bool walk_enough(void);
int walk_finish(void);
void walk_now(void);

static struct {
	struct unwind unwind;
	uint64_t pcs[UNWIND_DEPTH];
	struct trace libgcc;
	volatile long taken;
	long different, unfinished;
	long inside, inside_doubtful;
	const struct mapping *libgcc_code;
} w;

/* Returns true where libgcc overwrites its own frame to go to a landing pad: nothing describes
 * that, and its own backtrace faults. */
static bool in_libgcc(uintptr_t pc)
{
	return pc >= w.libgcc_code->start && pc < w.libgcc_code->end;
}

static void walk(const ucontext_t *context)
{
	struct registers registers;
	int count;

	w.unwind = self_unwind();
	registers_of(&registers, context);
	count = unwind_walk(&w.unwind, &registers, w.pcs, UNWIND_DEPTH);
	w.taken++;
	/* libgcc knows less about it, or is wrong. */
	if (is_thunk(w.pcs[0]) || is_described_wrongly(w.pcs[0]))
		return;
	if (in_libgcc(w.pcs[0]) || (count > 1 && in_libgcc(w.pcs[1]))) {
		w.inside++;
		w.inside_doubtful += w.unwind.reason != UNWIND_END || w.unwind.certain < count;
		return;
	}
	trace_from(&w.libgcc, registers.value[ARCH_FRAME_PC]);
	w.different += !trace_gives_up(&w.libgcc) && !trace_equal(&w.libgcc, w.pcs, count);
	w.unfinished += w.unwind.reason != UNWIND_END || w.unwind.certain < count;
}

/* Both signals share one struct unwind. The mask of their handler keeps one from interrupting the
 * other, except in the emulator of riscv64: see NO_HANDLER_MASKS. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	static volatile bool walks;

	(void)sig;
	(void)info;
	if (walks)
		return;
	walks = true;
	walk(context);
	walks = false;
}

void walk_start(void)
{
	const long us = is_emulated() ? EMULATED_US : 200;
	const struct itimerval every = { { 0, us }, { 0, us } };
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART };

	self_init();
	w.libgcc_code = table_find(self_objects.tables[1], (uintptr_t)_Unwind_Backtrace);
	if (!w.libgcc_code)
		bail_out("there is no libgcc");
	/* libgcc initializes itself by pthread_once(), where a handler would wait for its own
	 * thread. */
	trace_from(&w.libgcc, 0);
	sigfillset(&act.sa_mask);
	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGUSR1, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

void walk_now(void)
{
	raise(SIGUSR1);
}

bool walk_enough(void)
{
	return w.taken > (is_emulated() ? EMULATED_WALKS : 20000);
}

int walk_finish(void)
{
	const struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	ok(!w.unfinished, "%ld walks among exceptions, %ld not to the end", w.taken, w.unfinished);
	ok(!w.different, "%ld are other than libgcc's", w.different);
	note("%ld in libgcc itself, of which %ld say that they are in doubt", w.inside,
	     w.inside_doubtful);
	return tap_done();
}
