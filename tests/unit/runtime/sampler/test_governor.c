/* SPDX-License-Identifier: MIT */
#include "runtime/sampler/governor.h"

#include "tap.h"

#define US INT64_C(1000)

/* A thread whose ticks take a while, as the kernel treats it. */
struct machine {
	struct governor governor;
	uint64_t tick_ns;
	int64_t now_ns;     /* its CPU clock */
	int64_t next_ns;    /* when the clock ticks next, unless the last tick is still pending */
	int64_t kernel_ns;  /* time of an interrupt beside our handler */
	int64_t program_ns; /* time left to the program */
	unsigned int changes;
};

static struct machine machine_of(unsigned int hz, int64_t kernel_ns)
{
	return (struct machine){ .tick_ns = 1000000000 / hz,
				 .now_ns = 1,
				 .next_ns = 1000000000 / hz,
				 .kernel_ns = kernel_ns };
}

/* Runs the program to the next tick, if that is not pending yet; then the handler. */
static void machine_tick(struct machine *m, int64_t handler_ns)
{
	bool timed;
	int64_t began;

	if (m->now_ns < m->next_ns) {
		m->program_ns += m->next_ns - m->now_ns;
		m->now_ns = m->next_ns;
	}
	timed = governor_wants(&m->governor);
	began = m->now_ns;
	m->now_ns += handler_ns;
	if (timed && governor_timed(&m->governor, began, m->now_ns, m->tick_ns)) {
		m->changes++;
		m->next_ns = m->now_ns; /* the clock restarts */
	}
	m->now_ns += m->kernel_ns;
	m->next_ns += (int64_t)(m->tick_ns << m->governor.pace);
	if (m->next_ns < began)
		m->next_ns = began; /* only one of the missed ticks is pending */
}

static void machine_run(struct machine *m, int64_t handler_ns, int ticks)
{
	while (ticks--)
		machine_tick(m, handler_ns);
}

static void cheap_ticks_are_left_alone(void)
{
	struct machine m = machine_of(1000, 0);

	machine_run(&m, 300 * US, 10000);
	ok(m.changes == 0 && m.governor.pace == 0, "30 %% of the time: the rate stays");
}

static void dear_ticks_come_less_often(void)
{
	struct machine m = machine_of(20000, 0);

	machine_run(&m, 1000 * US, 16);
	ok(m.governor.pace == 6, "1 ms at 20 kHz: after 16 ticks every 64th is left");
	machine_run(&m, 1000 * US, 1000);
	ok(m.changes == 1, "... and so it stays");
}

static void one_is_no_reason(void)
{
	struct machine m = machine_of(20000, 0);

	for (int i = 0; i < 1000; i++) {
		machine_run(&m, 5 * US, 15);
		machine_tick(&m, 5000 * US);
	}
	ok(m.governor.pace == 0 && m.changes == 0,
	   "one tick of 16 that takes long: the rate stays");
}

static void most_of_them_are(void)
{
	struct machine m = machine_of(20000, 0);

	for (int i = 0; i < 100; i++) {
		machine_run(&m, 5 * US, 4);
		machine_run(&m, 100 * US, 12);
	}
	ok(m.governor.pace > 0, "three of four that take long: the rate is lowered");
}

static void rate_comes_back(void)
{
	struct machine m = machine_of(20000, 0);

	machine_run(&m, 1000 * US, 100);
	machine_run(&m, 5 * US, 9);
	ok(m.governor.pace == 0, "when ticks are cheap again, the rate is what was asked for");
	ok(m.changes == 2, "... after nine of them, in one step");
	machine_run(&m, 5 * US, 10000);
	ok(m.changes == 2, "... and stays there");
	machine_run(&m, 60 * US, 100);
	ok(m.governor.pace == 2, "a sample of 60 us may come every 200 us");
	machine_run(&m, 20 * US, 100);
	ok(m.governor.pace == 2, "20 us are no reason to hurry up: it may change its mind");
	machine_run(&m, 11 * US, 100);
	ok(m.governor.pace == 1, "11 us are, to one in 100 us and not to one in 50");
}

static void pace_has_an_end(void)
{
	struct machine m = machine_of(20000, 0);

	machine_run(&m, 1000000 * US, 1000);
	ok(m.governor.pace == GOVERNOR_PACE_MAX && m.changes == 1, "a second: as slow as can be");
}

static void clock_that_steps_back(void)
{
	struct governor governor = { 0 };
	bool changed = false;

	for (int i = 0; i < 100; i++)
		changed = (governor_wants(&governor) &&
			   governor_timed(&governor, 1000 - i, 500 - i, 1000)) ||
			  changed;
	ok(!changed && governor.pace == 0, "a clock that cannot be read says nothing");
}

/* The purpose of the governor. 15 us is the kernel's share on a slow machine. */
static void program_gets_its_share(void)
{
	static const unsigned int rates[] = { 1, 100, 1000, 5000, 20000 };
	double least = 1;

	for (unsigned int i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		for (int64_t handler = 1; handler < 10000; handler += 1 + handler / 16) {
			struct machine m = machine_of(rates[i], 15 * US);
			int64_t before;
			double share;

			machine_run(&m, handler * US, 200);
			before = m.now_ns;
			m.program_ns = 0;
			machine_run(&m, handler * US, 1000);
			share = (double)m.program_ns / (double)(m.now_ns - before);
			if (share < least)
				least = share;
		}
	}
	note("the program has no less than %.3f", least);
	ok(least > 1.0 / 3, "whatever ticks take, a third of the time is the program's");
}

int main(void)
{
	cheap_ticks_are_left_alone();
	dear_ticks_come_less_often();
	one_is_no_reason();
	most_of_them_are();
	rate_comes_back();
	pace_has_an_end();
	clock_that_steps_back();
	program_gets_its_share();
	return tap_done();
}
