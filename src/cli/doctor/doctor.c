/* SPDX-License-Identifier: MIT */
#include "doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/linux_version.h"

#define SET_PARANOID "sysctl kernel.perf_event_paranoid=1, as root"

#define USE_LINUX(...) "use Linux " LIMIT_VERSION(__VA_ARGS__) " or later"
#define CALLS_NEED     "it needs " LIMIT_TEXT(LIMIT_CALLS_ADDRESS_MB) " MB"

__attribute__((format(printf, 2, 3))) static void find(struct doctor_check *check,
						       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(check->finding, sizeof(check->finding), format, args);
	va_end(args);
}

static void conclude(struct doctor_check *check, enum doctor_status status, const char *consequence,
		     const char *advice)
{
	check->status = status;
	check->consequence = consequence;
	check->advice = advice;
}

static const char *error_name(int code)
{
	const char *name = strerrorname_np(code);

	return name ? name : "unknown error";
}

/* Writes " (perf_event_paranoid 2)", or nothing if the kernel has no such setting. */
static void put_setting(char text[64], const char *name, int value)
{
	text[0] = '\0';
	if (value != MACHINE_UNKNOWN)
		snprintf(text, 64, " (%s %d)", name, value);
}

/* Returns the perf clock's own condition for ticks in the kernel: see runtime/sampler/clock_perf.c.
 */
static bool has_whole_perf_clock(const struct machine *machine)
{
	return machine->perf_whole == 0 &&
	       linux_is_at_least(machine->kernel, LIMIT_LINUX_PERF_KERNEL);
}

static void judge_kernel(const struct machine *machine, struct doctor_check *check)
{
	check->name = "kernel";
	find(check, "Linux %s", machine->kernel);
	if (linux_is_at_least(machine->kernel, LIMIT_LINUX_PERF_KERNEL))
		conclude(check, DOCTOR_FINE, "perf events can sample inside system calls", NULL);
	else if (linux_is_at_least(machine->kernel, LIMIT_LINUX_PERF_SIGNAL))
		conclude(check, DOCTOR_LESS, "system time is sampled by CPU timers",
			 USE_LINUX(LIMIT_LINUX_PERF_KERNEL));
	else
		conclude(check, DOCTOR_LESS, "CPU timers are used instead of perf events",
			 USE_LINUX(LIMIT_LINUX_PERF_KERNEL));
}

/* Returns advice by what refused perf events, as far as that is known. */
static const char *perf_advice(const struct machine *machine)
{
	if (machine->perf_user == ENOSYS && machine->seccomp != 2)
		return "use a kernel with CONFIG_PERF_EVENTS";
	if (machine->paranoid > 2 && machine->seccomp != 2)
		return SET_PARANOID;
	if (machine->seccomp == 2)
		return "let perf_event_open pass the seccomp filter, as `docker run --cap-add "
		       "PERFMON` does";
	return "check whether a security module refuses perf_event_open";
}

static void judge_perf(const struct machine *machine, struct doctor_check *check)
{
	char text[64];

	put_setting(text, "perf_event_paranoid", machine->paranoid);
	check->name = "perf events";
	if (machine->perf_whole == 0) {
		find(check, "with system time%s", text);
		conclude(check, DOCTOR_FINE, "system time can be sampled where it is spent", NULL);
	} else if (machine->perf_user == 0) {
		find(check, "user code only; with the kernel: %s%s",
		     error_name(machine->perf_whole), text);
		conclude(check, DOCTOR_LESS, "system time is sampled by CPU timers",
			 machine->paranoid < 2 && machine->paranoid != MACHINE_UNKNOWN
				 ? "check whether a security module refuses perf events in the "
				   "kernel"
				 : SET_PARANOID);
	} else {
		find(check, "refused: %s%s", error_name(machine->perf_user), text);
		conclude(check, DOCTOR_LESS, "samples are taken by CPU timers",
			 perf_advice(machine));
	}
}

static void judge_signal(const struct machine *machine, struct doctor_check *check)
{
	check->name = "perf signals";
	if (machine->is_traced) {
		find(check, "a debugger is attached, which takes SIGTRAP");
		conclude(check, DOCTOR_LESS, "samples are taken by CPU timers",
			 "run dwell without a debugger");
	} else if (machine->perf_signal == 0) {
		find(check, "accepted");
		conclude(check, DOCTOR_FINE, "each thread can be interrupted by its own event",
			 NULL);
	} else if (machine->perf_user) {
		find(check, "not available without perf events");
		conclude(check, DOCTOR_LESS, "samples are taken by CPU timers", NULL);
	} else {
		find(check, "refused: %s", error_name(machine->perf_signal));
		conclude(check, DOCTOR_LESS, "samples are taken by CPU timers",
			 USE_LINUX(LIMIT_LINUX_PERF_SIGNAL));
	}
}

static void judge_timer(const struct machine *machine, struct doctor_check *check)
{
	check->name = "CPU timers";
	if (machine->timer == 0) {
		find(check, "work");
		conclude(check, DOCTOR_FINE, "sampling needs no permission", NULL);
	} else {
		find(check, "refused: %s", error_name(machine->timer));
		conclude(check, DOCTOR_LESS,
			 "samples are taken by one timer for all threads, setitimer()",
			 "let timer_create pass the seccomp filter");
	}
}

static void judge_seccomp(const struct machine *machine, struct doctor_check *check)
{
	check->name = "seccomp";
	if (machine->seccomp == 2)
		find(check, "a filter is active, as in containers");
	else
		find(check, machine->seccomp == 0 ? "no filter" : "not known");
	if (machine->seccomp == 2)
		conclude(check, DOCTOR_FINE, "the other checks show what it refuses", NULL);
	else
		conclude(check, DOCTOR_FINE, "nothing is refused by a filter", NULL);
}

static void judge_others(const struct machine *machine, struct doctor_check *check)
{
	char text[64];

	put_setting(text, "ptrace_scope", machine->ptrace_scope);
	check->name = "other processes";
	if (machine->read_child) {
		find(check, "a child's memory: %s%s", error_name(machine->read_child), text);
		conclude(check, DOCTOR_LESS, "commands can only be recorded from inside",
			 machine->ptrace_scope > 2
				 ? "sysctl kernel.yama.ptrace_scope=0, as root"
				 : "let process_vm_readv pass the seccomp filter");
	} else if (machine->perf_child) {
		find(check, "a child's CPU time: %s", error_name(machine->perf_child));
		conclude(check, DOCTOR_LESS, "commands can only be recorded from inside", NULL);
	} else if (machine->ptrace_scope > 0 && !machine->is_root) {
		find(check, "memory and CPU time of children%s", text);
		conclude(check, DOCTOR_LESS,
			 "only commands that dwell starts can be recorded from outside",
			 "sysctl kernel.yama.ptrace_scope=0, as root");
	} else {
		find(check, "memory and CPU time can be read%s", text);
		conclude(check, DOCTOR_FINE, "running processes can be recorded from outside",
			 NULL);
	}
}

static void judge_counter(const struct machine *machine, struct doctor_check *check)
{
	check->name = "CPU counter";
	find(check, "%s, kernel clocksource %s",
	     machine->counter_is_steady ? "steady" : "not steady",
	     *machine->clocksource ? machine->clocksource : "not known");
	if (machine->counter_is_used)
		conclude(check, DOCTOR_FINE, "dwell calls reads times from the counter", NULL);
	else
		conclude(check, DOCTOR_LESS,
			 "dwell calls reads times from the kernel: higher overhead per call", NULL);
}

static void judge_limits(const struct machine *machine, struct doctor_check *check)
{
	check->name = "limits";
	if (machine->limit_memory >> 20 < LIMIT_CALLS_ADDRESS_MB) {
		find(check, "address space: %" PRIu64 " MB", machine->limit_memory >> 20);
		conclude(check, DOCTOR_FAILS, "dwell calls does not run: " CALLS_NEED,
			 "ulimit -v unlimited");
	} else if (machine->limit_file < LIMIT_FILE_NEEDED) {
		find(check, "size of files: %" PRIu64 " KB", machine->limit_file >> 10);
		conclude(check, DOCTOR_FAILS, "nothing can be recorded", "ulimit -f unlimited");
	} else if (machine->limit_file < LIMIT_FILE_WANTED) {
		find(check, "size of files: %" PRIu64 " KB", machine->limit_file >> 10);
		conclude(check, DOCTOR_LESS, "long recordings are cut at that size",
			 "ulimit -f unlimited");
	} else if (machine->limit_descriptors <= LIMIT_DESCRIPTOR_MIN) {
		find(check, "descriptors: %" PRIu64, machine->limit_descriptors);
		conclude(check, DOCTOR_LESS, "do not move the recording while it is being written",
			 "ulimit -n 1024");
	} else {
		find(check, "none that matter");
		conclude(check, DOCTOR_FINE, "dwell has enough of everything", NULL);
	}
}

static void judge_folder(const struct machine *machine, struct doctor_check *check)
{
	check->name = "this directory";
	if (machine->folder) {
		find(check, "cannot hold a recording: %s", strerror(machine->folder));
		conclude(check, DOCTOR_LESS, "dwell.data cannot be written here",
			 "record to another directory: -o DATA");
	} else {
		find(check, "can hold a recording%s",
		     machine->folder_is_memory ? ", in memory" : "");
		conclude(check, DOCTOR_FINE,
			 machine->folder_is_memory ? "dwell.data is kept in memory here"
						   : "dwell.data can be written here",
			 NULL);
	}
}

/* Describes the clock that samples would be taken by: the one that the trial used. */
static void judge_clock(const struct machine *machine, struct doctor_check *check)
{
	const char *clock = machine->record.clock;

	if (strcmp(clock, "perf") == 0 && has_whole_perf_clock(machine))
		conclude(check, DOCTOR_FINE, "samples by perf events, with system time", NULL);
	else if (strcmp(clock, "perf") == 0)
		conclude(check, DOCTOR_LESS,
			 "samples by perf events in user code, and system time by CPU timers",
			 NULL);
	else if (strcmp(clock, "timer") == 0)
		conclude(check, DOCTOR_LESS,
			 "samples by CPU timers: correct totals, at the rate of the kernel's tick",
			 NULL);
	else
		conclude(check, DOCTOR_LESS, "samples by setitimer(), one timer for all threads",
			 NULL);
}

static void judge_record(const struct machine *machine, struct doctor_check *check)
{
	check->name = "dwell record";
	if (machine->record.works) {
		find(check, "works, clock %s", machine->record.clock);
		judge_clock(machine, check);
	} else {
		find(check, "%s", machine->record.why);
		conclude(check, DOCTOR_FAILS, "does not work here", NULL);
	}
}

static void judge_calls(const struct machine *machine, struct doctor_check *check)
{
	check->name = "dwell calls";
	if (machine->audit.works) {
		find(check, "works, by auditing (glibc %s)", machine->libc);
		conclude(check, DOCTOR_FINE, "intercepts all calls between objects", NULL);
	} else if (machine->got.works) {
		find(check, "no auditing (glibc %s): %s", machine->libc, machine->audit.why);
		conclude(check, DOCTOR_LESS,
			 "works with --via got only, and intercepts fewer calls",
			 "use --via got; auditing needs the glibc of Debian 12 or later");
	} else {
		find(check, "%s", machine->audit.why);
		conclude(check, DOCTOR_FAILS, "does not work here", NULL);
	}
}

/* Reports no failure: without such programs on the machine, nothing is missing. */
static void judge_musl(const struct machine *machine, struct doctor_check *check)
{
	check->name = "musl programs";
	find(check, machine->has_musl ? "libraries are installed" : "no libraries are installed");
	conclude(check, DOCTOR_FINE,
		 machine->has_musl
			 ? "calls are intercepted as with --via got: musl's linker does not "
			   "support auditing"
			 : "they are sampled from outside, and their calls cannot be intercepted",
		 NULL);
}

enum doctor_status doctor_judge(const struct machine *machine,
				struct doctor_check checks[DOCTOR_CHECKS])
{
	static void (*const judges[DOCTOR_CHECKS])(const struct machine *,
						   struct doctor_check *) = {
		judge_kernel,  judge_perf,   judge_signal,  judge_timer,
		judge_seccomp, judge_others, judge_counter, judge_limits,
		judge_folder,  judge_record, judge_calls,   judge_musl,
	};
	enum doctor_status worst = DOCTOR_FINE;

	for (size_t i = 0; i < DOCTOR_CHECKS; i++) {
		checks[i] = (struct doctor_check){ 0 };
		judges[i](machine, &checks[i]);
		if (checks[i].status > worst)
			worst = checks[i].status;
	}
	return worst;
}

const char *doctor_status_name(enum doctor_status status)
{
	static const char *const names[] = { "fine", "less", "FAILS" };

	return names[status];
}
