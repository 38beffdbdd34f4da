/* SPDX-License-Identifier: MIT */
#include "attach/attach.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/attach_state.h"
#include "attach/blocked.h"
#include "attach/cgroup.h"
#include "attach/family.h"
#include "attach/refusal.h"
#include "attach/events.h"
#include "attach/settle.h"

#define RINGS_BYTES   ((size_t)64 << 20) /* for all CPUs together, as long as each has enough */
#define RING_MAX      ((size_t)4 << 20)
#define RING_MIN      ((size_t)512 << 10)
#define MARGIN_NS     UINT64_C(1000000)
#define SETTLE_NS     UINT64_C(250000000)
#define CHECK_NS      UINT64_C(1000000000)
#define CGROUP_NS     UINT64_C(100000000)
#define LISTINGS      10
#define PERIOD_UNITS  100 /* of weight */
#define NS_PER_SECOND UINT64_C(1000000000)

static size_t ring_bytes(void)
{
	size_t share = RINGS_BYTES / (size_t)sysconf(_SC_NPROCESSORS_CONF), bytes = RING_MIN;

	while (bytes < RING_MAX && 2 * bytes <= share)
		bytes *= 2;
	return bytes;
}

/* Raises the limit: each counter is a descriptor, and each thread has one per CPU. */
static void raise_limit(struct attach *attach)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &attach->files);
	limit = attach->files;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Handles a truncation of the recording, or of a file of the target that is mapped here. */
static void on_bus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if ((info->si_code != BUS_ADRERR && info->si_code != BUS_OBJERR) ||
	    !room_mend(info->si_addr))
		signal(sig, SIG_DFL);
}

static void mend_faults(void)
{
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };

	sigaction(SIGBUS, &action, NULL);
}

static int open_counters(struct attach *attach, const char *path, struct err *err)
{
	const struct attach_options *options = &attach->options;
	struct counters_options counters = {
		.period_ns = NS_PER_SECOND / options->hz,
		.event = options->event.event ? &attach->options.event : NULL,
		.stack_bytes = options->stacks ? options->stack_bytes : 0,
		.follow = options->follow,
		.at_exec = options->at_exec,
		.kernel = options->kernel,
	};
	int status;

	mend_faults();
	status = options->shared ? room_attach_to(options->shared->recording) : room_attach(path);
	if (status)
		return err_set(err, -status, "cannot write '%s': %s", path, strerror(-status));
	timeline_init(&attach->timeline, room_header()->clock);
	counters.clock = timeline_clockid(&attach->timeline);
	status = rings_open(&attach->rings, counters.clock, ring_bytes());
	if (status)
		return refusal_explain(status, 0, err);
	counters_init(&attach->counters, &counters, &attach->rings);
	return 0;
}

/* Adds an existing thread. Its counters start before its time is read, so that none is missed. */
static int add_thread(struct attach *attach, struct watched_process *process, pid_t tid)
{
	int status = counters_add(&attach->counters, tid);
	struct watched_thread *thread;
	char name[16];

	if (status == -ESRCH)
		return 0;
	if (status)
		return status;
	proc_name(process->pid, tid, name);
	thread = watched_thread_new(process, tid, name);
	if (!thread)
		return -ENOMEM;
	thread->root = tid;
	proc_cpu_ns(process->pid, tid, &thread->base_ns);
	blocked_found(attach, thread, timeline_now(&attach->timeline));
	return watched_roster_add_thread(&attach->roster, thread);
}

/* Adds threads not yet known; *added: there were some. */
static int add_threads(struct attach *attach, struct watched_process *process, bool *added)
{
	pid_t *tids;
	size_t count;
	int status = proc_tasks(process->pid, &tids, &count);

	*added = false;
	for (size_t i = 0; i < count && !status; i++) {
		if (watched_roster_thread(&attach->roster, tids[i]))
			continue;
		*added = true;
		status = add_thread(attach, process, tids[i]);
	}
	free(tids);
	return status;
}

/* Adds all threads. A thread may start others while its counters are being opened, which then have
 * copies of some of them. So threads are listed until there are no new ones. Some new ones have
 * copies of all counters and get their own in addition; their own count: see events.c. */
static int add_all_threads(struct attach *attach, struct watched_process *process)
{
	bool added = true;
	int status = 0;

	for (int i = 0; i < LISTINGS && added && !status; i++) {
		status = add_threads(attach, process, &added);
		if (i && added)
			attach->counters.sums_mislead = true;
	}
	return status;
}

static int add_target(struct attach *attach, pid_t pid, struct err *err)
{
	struct proc_stat stat = { 0 };
	struct watched_process *process;
	int status = refusal_check(pid, err);

	if (status || watched_roster_process(&attach->roster, pid))
		return status;
	if (attach->options.blocked_hz)
		status = blocked_check(pid, err);
	if (status)
		return status;
	proc_stat(pid, &stat);
	process = watched_process_new(
		pid, stat.parent,
		timeline_ticks(&attach->timeline, timeline_now(&attach->timeline)));
	if (!process || watched_roster_add_process(&attach->roster, process))
		return err_no_memory(err);
	process->calls = calls_entry_find(attach->options.shared, pid);
	status = add_all_threads(attach, process);
	if (!process->threads) {
		watched_roster_drop(&attach->roster, process);
		status = status ? status : -ESRCH;
	}
	if (status)
		return refusal_explain(status, pid, err);
	watched_process_reread(process, &attach->context, 0);
	if (!watched_process_enter(process, &attach->context))
		return err_set(err, ENOSPC, "no space left for the recording");
	return 0;
}

/* Adds a process about to exec: nothing else about it is needed. */
static int add_at_exec(struct attach *attach, size_t number, struct err *err)
{
	pid_t pid = attach->options.pids[number];
	int status = refusal_check(pid, err);

	if (status)
		return status;
	status = counters_add(&attach->counters, pid);
	proc_schedule(pid, pid, &attach->targets[number].before);
	return status ? refusal_explain(status, pid, err) : 0;
}

static int add_all_at_exec(struct attach *attach, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < attach->options.pid_count && !status; i++) {
		status = add_at_exec(attach, i, err);
		attach->targets[i].is_pending = true;
	}
	return status;
}

/* Returns true for a child that has ended since, or is another user's, which was not requested. */
static bool can_be_left_out(int status)
{
	return status == -ESRCH || status == -EPERM || status == -EACCES || status == -EINVAL;
}

/* Adds processes not yet known; *added: there were some. */
static int add_family(struct attach *attach, bool *added, struct err *err)
{
	const struct attach_options *options = &attach->options;
	pid_t *pids;
	size_t count;
	int status = family_of(options->pids, options->pid_count, &pids, &count);

	if (status)
		return err_no_memory(err);
	*added = false;
	for (size_t i = 0; i < count && !status; i++) {
		if (watched_roster_process(&attach->roster, pids[i]))
			continue;
		status = add_target(attach, pids[i], err);
		if (!status)
			*added = true;
		else if (i >= options->pid_count && can_be_left_out(status))
			status = 0;
	}
	free(pids);
	return status;
}

/* Adds all processes. Like threads, they may start others meanwhile: see add_all_threads(). */
static int add_families(struct attach *attach, struct err *err)
{
	bool added = true;
	int status = 0;

	for (int i = 0; i < LISTINGS && added && !status; i++) {
		status = add_family(attach, &added, err);
		if (i && added)
			attach->counters.sums_mislead = true;
	}
	return status;
}

/* Leaves out a process of the cgroup, and counts it once. */
static void leave_out(struct attach *attach, pid_t pid)
{
	uint32_t *place = hash_place(&attach->refused, (uint64_t)pid);

	if (place && *place == HASH_NONE) {
		*place = 0;
		attach->refused_count++;
	}
}

/* Adds processes of the cgroup that are not known yet, without dwell itself. Only if none can be
 * watched is that an error. */
static int add_members(struct attach *attach, struct err *err)
{
	pid_t *pids;
	size_t count;
	int status = cgroup_list(attach->options.cgroup, &pids, &count);

	attach->has_cgroup = status != -ENOENT;
	for (size_t i = 0; i < count && !status; i++) {
		if (pids[i] == getpid() || watched_roster_process(&attach->roster, pids[i]) ||
		    hash_find(&attach->refused, (uint64_t)pids[i]))
			continue;
		status = add_target(attach, pids[i], err);
		if (status == -EPERM || status == -EACCES)
			leave_out(attach, pids[i]);
		if (can_be_left_out(status))
			status = 0;
		else
			attach->counters.sums_mislead = true; /* it may have copies already */
	}
	free(pids);
	if (attach->refused_count && !attach->roster.process_count)
		return -EPERM;
	return status == -ENOENT ? 0 : status;
}

static int add_targets(struct attach *attach, struct err *err)
{
	const struct attach_options *options = &attach->options;
	int status = 0;

	if (options->at_exec)
		return add_all_at_exec(attach, err);
	if (options->follow && options->pid_count)
		return add_families(attach, err);
	for (size_t i = 0; i < options->pid_count && !status; i++)
		status = add_target(attach, options->pids[i], err);
	if (options->cgroup && !status)
		status = add_members(attach, err);
	return status;
}

static struct attach *new_attach(const struct attach_options *options)
{
	struct attach *attach = calloc(1, sizeof(*attach));
	pid_t *pids = calloc(options->pid_count + 1, sizeof(*pids));

	if (attach)
		attach->targets = calloc(options->pid_count + 1, sizeof(*attach->targets));
	if (!attach || !pids || !attach->targets) {
		free(attach ? attach->targets : NULL);
		free(attach);
		free(pids);
		return NULL;
	}
	if (options->pid_count)
		memcpy(pids, options->pids, options->pid_count * sizeof(*pids));
	attach->options = *options;
	attach->options.pids = pids;
	if (!options->stack_bytes)
		attach->options.stack_bytes = ATTACH_STACK_BYTES;
	attach->context.hz = options->hz;
	/* Fine enough for exact sums, and coarse enough for a sample that stands for 600. */
	attach->context.unit_ns = (uint32_t)(NS_PER_SECOND / options->hz / PERIOD_UNITS);
	if (!attach->context.unit_ns)
		attach->context.unit_ns = 1;
	attach->context.is_wall = options->blocked_hz > 0;
	attach->context.is_event = options->event.event;
	attach->context.cgroup = options->cgroup;
	if (attach->context.is_event)
		attach->context.unit_ns = 1;
	return attach;
}

static void free_attach(struct attach *attach)
{
	watched_roster_free(&attach->roster);
	counters_close(&attach->counters);
	rings_close(&attach->rings);
	images_free(&attach->context.images);
	hash_free(&attach->refused);
	setrlimit(RLIMIT_NOFILE, &attach->files);
	free((pid_t *)attach->options.pids);
	free(attach->targets);
	free(attach);
}

int attach_open(struct attach **opened, const struct attach_options *options, const char *path,
		struct err *err)
{
	struct attach *attach = new_attach(options);
	int status;

	if (!attach)
		return err_no_memory(err);
	raise_limit(attach);
	status = open_counters(attach, path, err);
	if (!status)
		status = add_targets(attach, err);
	if (status) {
		free_attach(attach);
		return status;
	}
	attach->settled = attach->checked = timeline_now(&attach->timeline);
	*opened = attach;
	return 0;
}

/* Handles all events up to an instant. */
static void drain(struct attach *attach, uint64_t until)
{
	struct event_form form = counters_form(&attach->counters);
	const struct perf_event_header *header;
	struct event event;

	rings_look(&attach->rings);
	while ((header = rings_next(&attach->rings, until)))
		if (event_decode(&event, header, &form))
			events_take(attach, &event);
}

/* Counts pending targets. Some may have ended before their exec(). */
static size_t count_pending(struct attach *attach)
{
	size_t count = 0;

	for (size_t i = 0; i < attach->options.pid_count; i++) {
		struct target *target = &attach->targets[i];
		struct proc_stat stat;

		if (!target->is_pending)
			continue;
		target->is_pending =
			proc_stat(attach->options.pids[i], &stat) == 0 && stat.state != 'Z';
		count += target->is_pending;
	}
	return count;
}

static bool is_due(uint64_t *last, uint64_t now, uint64_t interval)
{
	if (now - *last < interval)
		return false;
	*last = now;
	return true;
}

size_t attach_pump(struct attach *attach, int timeout_ms)
{
	uint64_t now = timeline_now(&attach->timeline);
	struct err err;

	timeout_ms = blocked_timeout(attach, now, timeout_ms);
	if (!rings_are_filling(&attach->rings))
		rings_wait(&attach->rings, timeout_ms);
	timeline_update(&attach->timeline);
	now = timeline_now(&attach->timeline);
	/* Another CPU may be about to write an earlier event. */
	drain(attach, now - MARGIN_NS);
	blocked_look(attach, now);
	if (is_due(&attach->settled, now, SETTLE_NS))
		settle_weights(attach, false);
	if (is_due(&attach->checked, now, CHECK_NS))
		events_check(attach);
	if (attach->options.cgroup && is_due(&attach->listed, now, CGROUP_NS))
		add_members(attach, &err);
	return attach->roster.process_count + count_pending(attach) + attach->has_cgroup;
}

/* Accepts accounts that cannot be settled yet: samples to come make up for them. */
void attach_settle(struct attach *attach)
{
	settle_weights(attach, false);
	watched_roster_accept(&attach->roster);
	watched_roster_let_go(&attach->roster, attach->context.first);
}

struct attach_status attach_status(const struct attach *attach)
{
	struct attach_status status = { .samples = attach->samples,
					.lost = attach->lost,
					.processes = attach->roster.process_count,
					.threads = attach->roster.thread_count,
					.refused = attach->refused_count,
					.user_only = attach->counters.user_only };

	for (size_t i = 0; i < attach->options.pid_count; i++)
		status.targets += attach->targets[i].is_pending ||
				  watched_roster_process(&attach->roster, attach->options.pids[i]);
	return status;
}

void attach_close(struct attach *attach)
{
	counters_stop(&attach->counters);
	timeline_update(&attach->timeline);
	drain(attach, UINT64_MAX);
	events_end(attach);
	blocked_last_look(attach, timeline_now(&attach->timeline));
	settle_weights(attach, true);
	for (size_t i = 0; i < attach->roster.process_count; i++)
		watched_process_rename(attach->roster.processes[i]);
	free_attach(attach);
}
