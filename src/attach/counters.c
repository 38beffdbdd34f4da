/* SPDX-License-Identifier: MIT */
#include "attach/counters.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/event.h"
#include "base/vec.h"
#include "perf_regs.h"

#define NS_PER_SECOND UINT64_C(1000000000)
#define KERNEL_DEPTH  64

/* As Linux 6.0 has it: headers may be older. */
#define FORMAT_LOST (1U << 4)

void counters_init(struct counters *counters, const struct counters_options *options,
		   const struct rings *rings)
{
	*counters = (struct counters){ .options = *options,
				       .rings = rings,
				       .threads_only = !options->follow };
}

void counters_close(struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		close(counters->fds[i]);
	free(counters->fds);
	hash_free(&counters->roots);
	*counters = (struct counters){ 0 };
}

struct event_form counters_form(const struct counters *counters)
{
	const struct attach_event *wanted = counters->options.event;

	return (struct event_form){ .has_stack = counters->options.stack_bytes,
				    .has_chain = counters->options.kernel,
				    .period = wanted ? wanted->period : 0 };
}

/* Chooses what is counted. The task clock is the thread's own time: it stops while the thread does
 * not run. */
static void choose_event(const struct counters_options *options, struct perf_event_attr *attr)
{
	const struct pmu_event *event = options->event ? options->event->event : NULL;

	attr->type = event ? event->type : PERF_TYPE_SOFTWARE;
	attr->config = event ? event->config[0] : PERF_COUNT_SW_TASK_CLOCK;
	attr->sample_period = event ? options->event->period : options->period_ns;
	if (!event)
		return;
	attr->config1 = event->config[1];
	attr->config2 = event->config[2];
	attr->exclude_user = event->no_user;
	attr->exclude_kernel = attr->exclude_kernel || event->no_kernel;
	attr->freq = !options->event->period;
	if (attr->freq)
		attr->sample_freq = NS_PER_SECOND / options->period_ns;
}

static struct perf_event_attr attributes(const struct counters *counters)
{
	const struct counters_options *options = &counters->options;
	struct event_form form = counters_form(counters);
	struct perf_event_attr attr = {
		.size = sizeof(struct perf_event_attr),
		.sample_type = event_sample_type(&form),
		.sample_regs_user = ARCH_PERF_REGS,
		.sample_stack_user = options->stack_bytes,
		.exclude_callchain_user = 1,
		.sample_max_stack = options->kernel ? KERNEL_DEPTH : 0,
		.sample_id_all = 1,
		.read_format = PERF_FORMAT_ID | (counters->lost_unknown ? 0 : FORMAT_LOST),
		.inherit = 1,
		.inherit_thread = counters->threads_only,
		.disabled = options->at_exec,
		.enable_on_exec = options->at_exec,
		.exclude_kernel = counters->user_only,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = options->clock,
	};

	choose_event(options, &attr);
	return attr;
}

static int try_open(const struct counters *counters, pid_t tid, int cpu)
{
	struct perf_event_attr attr = attributes(counters);
	int fd = (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opens a counter, with fewer features if the kernel does not permit or support them. */
static int open_one(struct counters *counters, pid_t tid, int cpu)
{
	int fd = try_open(counters, tid, cpu);

	if ((fd == -EACCES || fd == -EPERM) && !counters->user_only && !counters->count) {
		counters->user_only = true;
		fd = try_open(counters, tid, cpu);
		if (fd < 0)
			counters->user_only = false;
	}
	if (fd == -EINVAL && !counters->lost_unknown && !counters->count) {
		counters->lost_unknown = true;
		fd = try_open(counters, tid, cpu);
	}
	if (fd == -EINVAL && counters->threads_only && !counters->count) {
		counters->threads_only = false;
		counters->sums_mislead = true;
		fd = try_open(counters, tid, cpu);
	}
	return fd;
}

struct reading {
	uint64_t value, id, lost;
};

static bool read_counter(const struct counters *counters, int fd, struct reading *reading)
{
	size_t size = counters->lost_unknown ? offsetof(struct reading, lost) : sizeof(*reading);

	reading->lost = 0;
	return read(fd, reading, size) == (ssize_t)size;
}

static int keep(struct counters *counters, int fd, pid_t tid)
{
	int *more = vec_room(counters->fds, counters->count, sizeof(*more));
	struct reading reading;
	uint32_t *root;

	if (!more)
		return -ENOMEM;
	counters->fds = more;
	if (!read_counter(counters, fd, &reading))
		return -EIO;
	root = hash_place(&counters->roots, reading.id);
	if (!root)
		return -ENOMEM;
	*root = (uint32_t)tid;
	more[counters->count++] = fd;
	return 0;
}

static int add_on(struct counters *counters, pid_t tid, const struct ring *ring)
{
	int fd = open_one(counters, tid, ring->cpu), status = 0;

	if (fd == -ENODEV) /* the CPU is offline */
		return 0;
	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd))
		status = -errno;
	if (!status)
		status = keep(counters, fd, tid);
	if (status)
		close(fd);
	return status;
}

int counters_add(struct counters *counters, pid_t tid)
{
	int status = 0;

	for (size_t i = 0; i < counters->rings->count && !status; i++)
		status = add_on(counters, tid, &counters->rings->rings[i]);
	return status;
}

pid_t counters_root(const struct counters *counters, uint64_t id)
{
	const uint32_t *root = hash_find(&counters->roots, id);

	return root ? (pid_t)*root : 0;
}

void counters_stop(struct counters *counters)
{
	for (size_t i = 0; i < counters->count; i++)
		ioctl(counters->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

static struct reading sum(const struct counters *counters)
{
	struct reading reading, sum = { 0 };

	for (size_t i = 0; i < counters->count; i++) {
		if (!read_counter(counters, counters->fds[i], &reading))
			continue;
		sum.value += reading.value;
		sum.lost += reading.lost;
	}
	return sum;
}

uint64_t counters_total(const struct counters *counters)
{
	return sum(counters).value;
}

uint64_t counters_lost(const struct counters *counters)
{
	return sum(counters).lost;
}
