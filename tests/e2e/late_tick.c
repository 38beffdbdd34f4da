/* SPDX-License-Identifier: MIT
 *
 * A tick that is on its way when profiling is turned off, forks or execs must not hurt anybody.
 */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "held.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

extern char **environ;

static const char *const clocks[] = { "perf", "timer", "itimer" };

static void spin_us(double us)
{
	double end = seconds_on(CLOCK_MONOTONIC) + us * 1e-6;

	while (seconds_on(CLOCK_MONOTONIC) < end)
		;
}

static void on_and_off(const char *clock)
{
	/* The kernel charges ITIMER_PROF whole ticks of its own, which are longer than this. */
	bool is_coarse = strcmp(clock, "itimer") == 0;
	int held = held_by_process(), failed = 0;
	long ticks = 0;

	for (int i = 0; i < 3000; i++) {
		failed += count_everything() != 0;
		spin_us(i % 100);
		failed += count_nothing() != 0;
		ticks += everything[0];
	}
	ok(failed == 0 && (ticks > 0 || is_coarse),
	   "%s: on and off 3000 times at 20,000 Hz, %ld ticks", clock, ticks);
	ok(!clock_now().running && held_by_process() == held,
	   "%s: no descriptor or timer stays behind", clock);
	everything[0] = 0;
	burn(0.02);
	ok(everything[0] == 0, "%s: nothing is counted while it is off", clock);
}

static bool fine(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool has_timer(void)
{
	static const int kinds[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };
	int running = held_timers();

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct itimerval left;

		running += getitimer(kinds[i], &left) != 0 || left.it_value.tv_sec ||
			   left.it_value.tv_usec;
	}
	return running > 0;
}

/* Executes this program again, which then looks at its timers and burns for a moment. The new
 * program has the default action for every signal: a left-over tick would kill it, and so would an
 * event that outlives exec, which ticks after 50 us. A timer would tick in the kernel's next tick,
 * up to 10 ms later: it is looked for instead. */
static void execs(const char *clock)
{
	int killed = 0, status;

	for (int i = 0; i < 100; i++) {
		pid_t child = fork();

		if (child == 0) {
			count_everything();
			spin_us(i);
			execl("/no/such/program", "none", (char *)NULL);
			execl("/proc/self/exe", "late_tick", "just-burn", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		killed += !fine(status);
	}
	ok(killed == 0, "%s: 100 programs that exec while ticking: %d killed or left with a timer",
	   clock, killed);
}

/* Returns whether the clock ticks, at 20,000 Hz. The kernel looks at CPU timers in its own tick
 * only, if that meets the thread: where others run in turn, it may have used any amount of time
 * before. */
static bool ticks_on(void)
{
	unsigned long long enough = clock_now().samples + 800;

	for (int i = 0; i < 20 && clock_now().samples < enough; i++)
		burn(0.05);
	return clock_now().running && clock_now().samples >= enough;
}

static void vforks_and_spawns(const char *clock)
{
	char name[] = "true", *const argv[] = { name, NULL };
	volatile int bad = 0; /* vfork() returns twice */
	int status;
	pid_t child;

	count_everything();
	for (int i = 0; i < 100; i++) {
		child = vfork();
		if (child == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		bad += !fine(status);
		bad += posix_spawn(&child, "/bin/true", NULL, NULL, argv, environ) != 0;
		waitpid(child, &status, 0);
		bad += !fine(status);
		spin_us(200);
	}
	bad += system("exit 0") != 0;
	ok(bad == 0, "%s: vfork, posix_spawn and system() while ticking", clock);
	ok(ticks_on(), "%s: the parent ticks on", clock);
	count_nothing();
}

/* Forks with the BSD dialect, which goes on in the child, and execs at once, in the middle of
 * ticking. */
static void forks_that_follow(const char *clock)
{
	static char buf[2];
	int bad = 0, status;

	profil_bsd(buf, sizeof(buf), 0, 1);
	for (int i = 0; i < 100; i++) {
		pid_t child = fork();

		if (child == 0) {
			spin_us(i * 3);
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		bad += !fine(status);
	}
	profil_bsd(buf, 0, 0, 0);
	ok(bad == 0, "%s: children that tick on until they exec: %d killed", clock, bad);
}

static void failed_exec(const char *clock)
{
	count_everything();
	for (int i = 0; i < 10; i++) {
		burn(0.002);
		execl("/no/such/program", "none", (char *)NULL);
	}
	ok(ticks_on(), "%s: after an exec that failed it ticks on", clock);
	count_nothing();
}

/* Tries one clock alone, if it is named. */
int main(int argc, char **argv)
{
	const char *only = argc > 1 ? argv[1] : NULL;

	if (only && strcmp(only, "just-burn") == 0) {
		burn(0.001);
		return has_timer();
	}
	setenv("PROFIL_HZ", "20000", 1);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		if (only && strcmp(only, clocks[i]) != 0)
			continue;
		setenv("PROFIL_CLOCK", clocks[i], 1);
		if (count_everything() != 0) {
			skip(clocks[i], clock_now().problem);
			continue;
		}
		count_nothing();
		on_and_off(clocks[i]);
		execs(clocks[i]);
		failed_exec(clocks[i]);
		vforks_and_spawns(clocks[i]);
		forks_that_follow(clocks[i]);
	}
	/* The last resort's signal, from another sender, after all is over. */
	if (clock_now().clock && strcmp(clock_now().clock, "itimer") == 0) {
		struct itimerval soon = { { 0, 0 }, { 0, 1000 } };

		everything[0] = 0;
		setitimer(ITIMER_PROF, &soon, NULL);
		burn(0.05);
		getitimer(ITIMER_PROF, &soon);
		ok(everything[0] == 0 && !soon.it_value.tv_usec,
		   "a late SIGPROF after off is neither counted nor fatal");
	}
	return tap_done();
}
