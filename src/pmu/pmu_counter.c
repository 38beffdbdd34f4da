/* SPDX-License-Identifier: MIT */
#include "pmu_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* period: after which it interrupts; 0: it counts alone. */
static int open_event(const struct pmu_event *event, uint64_t period, bool no_kernel, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config[0],
		.config1 = event->config[1],
		.config2 = event->config[2],
		.sample_period = period,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.enable_on_exec = 1,
		.inherit = 1,
		.exclude_user = event->no_user,
		.exclude_kernel = no_kernel,
		.exclude_hv = no_kernel,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Returns true for events of the scheduler, which happen in the kernel alone. */
static bool is_in_kernel(const struct pmu_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config[0] == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		event->config[0] == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Returns true for CPU time, which the kernel counts as a whole, whatever is excluded. */
static bool is_cpu_time(const struct pmu_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config[0] == PERF_COUNT_SW_CPU_CLOCK ||
						     event->config[0] == PERF_COUNT_SW_TASK_CLOCK);
}

static void open_counter(struct pmu_counter *counter, const struct pmu_event *event,
			 uint64_t period, pid_t pid)
{
	int fd = open_event(event, period, event->no_kernel, pid);

	*counter = (struct pmu_counter){ .event = event };
	if ((fd == -EACCES || fd == -EPERM) && !event->no_kernel && !event->no_user &&
	    !is_in_kernel(event)) {
		fd = open_event(event, period, true, pid);
		counter->without_kernel = fd >= 0 && !is_cpu_time(event);
	}
	counter->fd = fd < 0 ? -1 : fd;
	counter->refused = fd < 0 ? -fd : 0;
}

void pmu_counter_open(struct pmu_counter *counter, const struct pmu_event *event, pid_t pid)
{
	open_counter(counter, event, 0, pid);
}

void pmu_counter_try_sampling(struct pmu_counter *counter, const struct pmu_event *event)
{
	open_counter(counter, event, UINT64_C(1) << 40, 0);
	pmu_counter_finish(counter);
}

void pmu_counter_finish(struct pmu_counter *counter)
{
	struct {
		uint64_t value, enabled_ns, running_ns;
	} got;

	if (counter->fd < 0)
		return;
	if (read(counter->fd, &got, sizeof(got)) == sizeof(got)) {
		counter->enabled_ns = got.enabled_ns;
		counter->running_ns = got.running_ns;
		counter->value = (double)got.value * counter->event->scale;
		if (got.running_ns && got.running_ns < got.enabled_ns)
			counter->value *= (double)got.enabled_ns / (double)got.running_ns;
	} else {
		counter->refused = EIO;
	}
	close(counter->fd);
	counter->fd = -1;
}

const char *pmu_counter_refusal(const struct pmu_counter *counter)
{
	switch (counter->refused) {
	case 0:
		return counter->running_ns || !counter->enabled_ns
			       ? NULL
			       : "the counters were busy with other events";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		return "this machine has no such counter";
	case EACCES:
	case EPERM:
		return "not permitted here: see kernel.perf_event_paranoid";
	case EINVAL:
		return "it cannot be counted per process";
	default:
		return "the kernel refuses it";
	}
}
