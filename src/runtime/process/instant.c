/* SPDX-License-Identifier: MIT */
#include "instant.h"

#include <sys/prctl.h>
#include <time.h>

#include "vdso.h"
#include "recording/format.h"
#include "sys.h"
#include "ticks.h"

/* The vdso's function to read the clock without a system call; NULL: missing, or not needed. */
static int (*quick_clock)(clockid_t, struct __kernel_timespec *);
static bool is_ticks, stands;
static uint64_t standing; /* if so: the time */

void instant_init(uint32_t clock)
{
	is_ticks = clock == RECORD_CLOCK_TICKS;
	if (!is_ticks)
		quick_clock =
			(int (*)(clockid_t, struct __kernel_timespec *))vdso_find(ARCH_VDSO_CLOCK);
}

/* Returns whether this thread may read the CPU's counter, as the vdso does. */
static bool may_count_ticks(void)
{
	int mode = PR_TSC_ENABLE;

	/* Fails if the CPU has no counter, or if it cannot be forbidden. */
	return SYS2(SYS_prctl, PR_GET_TSC, &mode) != 0 || mode == PR_TSC_ENABLE;
}

bool instant_begin(const struct record_header *header)
{
	bool may_count = may_count_ticks();

	instant_init(header->clock);
	if (!may_count)
		instant_stand(header->started.ticks);
	return may_count;
}

void instant_stand(uint64_t at)
{
	standing = at;
	stands = true;
	quick_clock = NULL;
}

uint64_t instant_now(void)
{
	int (*quick)(clockid_t, struct __kernel_timespec *);
	struct __kernel_timespec now;

	if (is_ticks && stands)
		return standing;
	if (is_ticks)
		return arch_ticks();
	/* Another thread may set it to NULL meanwhile. */
	quick = __atomic_load_n(&quick_clock, __ATOMIC_RELAXED);
	if (!quick || quick(CLOCK_MONOTONIC, &now) != 0)
		return (uint64_t)sys_clock_ns(CLOCK_MONOTONIC);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
