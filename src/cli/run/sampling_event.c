/* SPDX-License-Identifier: MIT */
#include "sampling_event.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/decimal.h"
#include "base/limits.h"
#include "base/linux_version.h"
#include "cli/cmd.h"
#include "pmu/pmu_counter.h"
#include "recording/read/kallsyms.h"

/* A recording has 32 bits for the unit of weights, and 16 for each. */
#define PERIOD_MAX INT64_C(1000000000000)

int sampling_event_take(struct sampling_event *event, const char *verb, const char *value)
{
	struct err err;

	if (event->list.count)
		return cmd_fail(verb, "-e is allowed once: dwell stat counts several events");
	if (pmu_event_parse(&event->list, value, PMU_EVENT_SYSFS, &err))
		return cmd_fail(verb, "%s", err.text);
	if (event->list.count > 1)
		return cmd_fail(verb,
				"'%s' are several events, and samples count one: dwell stat "
				"counts several",
				value);
	/* The kernel's own clocks are CPU time, which is the default. */
	if (strcmp(event->list.events[0].unit, "ns") == 0)
		event->list.count = 0;
	return 0;
}

int sampling_event_take_period(struct sampling_event *event, const char *verb, const char *value)
{
	if (!decimal_parse(value, PERIOD_MAX, &event->period) || !event->period)
		return cmd_fail(verb, "invalid period '%s': must be 1 to %lld events per sample",
				value, (long long)PERIOD_MAX);
	return 0;
}

/* Returns whether events inside the kernel would harm programs that interrupt themselves. */
static bool kernel_is_too_old(void)
{
	struct utsname uts;

	return uname(&uts) || !linux_is_at_least(uts.release, LIMIT_LINUX_PERF_KERNEL);
}

int sampling_event_check(const struct sampling_event *event, const char *verb, bool inside)
{
	const struct pmu_event *wanted = sampling_event_of(event);
	struct pmu_counter counter;

	if (!wanted)
		return 0;
	pmu_counter_try_sampling(&counter, wanted);
	if (counter.refused)
		return cmd_fail(verb, "cannot sample '%s': %s", wanted->name,
				pmu_counter_refusal(&counter));
	if (counter.without_kernel)
		cmd_note(verb,
			 "'%s' is counted in user code only: kernel.perf_event_paranoid 1 or "
			 "CAP_PERFMON permits the kernel",
			 wanted->name);
	else if (inside && !wanted->no_kernel && kernel_is_too_old())
		cmd_note(verb,
			 "'%s' is counted in user code only: from inside, the kernel is sampled "
			 "from Linux " LIMIT_VERSION(LIMIT_LINUX_PERF_KERNEL) " on; --engine "
									      "outside counts both",
			 wanted->name);
	return 0;
}

void sampling_event_note_kernel(const char *verb, bool inside)
{
	/* An event that is in the kernel alone. */
	const struct pmu_event in_kernel = { .name = "context-switches",
					     .type = PERF_TYPE_SOFTWARE,
					     .config = { PERF_COUNT_SW_CONTEXT_SWITCHES },
					     .scale = 1 };
	struct pmu_counter counter;

	pmu_counter_try_sampling(&counter, &in_kernel);
	if (counter.refused)
		cmd_note(verb,
			 "stacks end where the kernel begins: kernel.perf_event_paranoid 1 or "
			 "CAP_PERFMON permits more");
	else if (inside && kernel_is_too_old())
		cmd_note(verb,
			 "stacks end where the kernel begins: from inside, it is sampled "
			 "from Linux " LIMIT_VERSION(LIMIT_LINUX_PERF_KERNEL) " on; --engine "
									      "outside samples it");
	else if (!kallsyms_has_addresses(KALLSYMS_PATH))
		cmd_note(verb, "functions of the kernel have no names: kernel.kptr_restrict 0, or "
			       "root, permits them");
}
