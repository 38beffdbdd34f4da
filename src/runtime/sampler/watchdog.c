/* SPDX-License-Identifier: MIT */
#include "watchdog.h"

#include "signals.h"
#include "sys.h"
#include "tick_path.h"

#define TICKS_A_BARK 8

static struct {
	bool running;
	int timer_id;
} dog;

void watchdog_start(uint64_t tick_ns)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = signals_claim_private(),
		.sigev_value.sival_ptr = &dog,
	};
	uint64_t ns = tick_ns * TICKS_A_BARK;
	struct itimerspec when = {
		.it_value = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) },
	};

	when.it_interval = when.it_value;
	if (event.sigev_signo < 0 ||
	    sys_timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &dog.timer_id) < 0)
		return;
	sys_timer_settime(dog.timer_id, &when);
	dog.running = true;
}

void watchdog_stop(void)
{
	if (dog.running)
		sys_timer_delete(dog.timer_id);
	dog.running = false;
}

void watchdog_forget(void)
{
	dog.running = false;
}

bool watchdog_watches(void)
{
	return dog.running;
}

TICK_PATH bool watchdog_barked(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && info->si_value.sival_ptr == &dog;
}
