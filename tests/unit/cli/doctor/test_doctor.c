/* SPDX-License-Identifier: MIT
 *
 * test_doctor.c - conclusions from made-up findings, machine by machine.
 */
#include <errno.h>
#include <string.h>

#include "../../random64.h"
#include "cli/doctor/doctor.h"
#include "tap.h"

static struct doctor_check checks[DOCTOR_CHECKS];

/* A machine that permits everything. */
static struct machine best(void)
{
	return (struct machine){
		.kernel = "6.11.0",
		.paranoid = 1,
		.ptrace_scope = 0,
		.counter_is_steady = true,
		.counter_is_used = true,
		.clocksource = "tsc",
		.libc = "2.36",
		.audit = { .works = true },
		.got = { .works = true },
		.record = { .works = true, .clock = "perf" },
		.limit_memory = UINT64_MAX,
		.limit_file = UINT64_MAX,
		.limit_descriptors = 1024,
	};
}

static const struct doctor_check *check_of(const char *name)
{
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (strcmp(checks[i].name, name) == 0)
			return &checks[i];
	bail_out("there is no such check");
}

/*
 * Returns whether a check has this status, and these words in its finding, conclusion and advice.
 */
static bool says(const char *name, enum doctor_status status, const char *finding,
		 const char *consequence, const char *advice)
{
	const struct doctor_check *check = check_of(name);
	bool holds = check->status == status && strstr(check->finding, finding) &&
		     strstr(check->consequence, consequence) &&
		     (advice ? check->advice && strstr(check->advice, advice) : !check->advice);

	if (!holds)
		note("%s: %s: %s: %s: %s", name, doctor_status_name(check->status), check->finding,
		     check->consequence, check->advice ? check->advice : "(none)");
	return holds;
}

static void everything(void)
{
	struct machine machine = best();
	bool silent = true;

	ok(doctor_judge(&machine, checks) == DOCTOR_FINE, "a machine that permits everything");
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		silent = silent && !checks[i].advice && checks[i].status == DOCTOR_FINE;
	ok(silent, "has nothing to be changed");
	ok(says("dwell record", DOCTOR_FINE, "perf", "perf events, with system time", NULL),
	   "samples with system time");
	ok(says("dwell calls", DOCTOR_FINE, "auditing (glibc 2.36)", "all calls", NULL),
	   "and calls by auditing");
}

static void an_unprivileged_user(void)
{
	struct machine machine = best();

	machine.paranoid = 2;
	machine.perf_whole = EACCES;
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS, "an unprivileged user has less");
	ok(says("perf events", DOCTOR_LESS,
		"user code only; with the kernel: EACCES (perf_event_paranoid 2)", "CPU timers",
		"sysctl kernel.perf_event_paranoid=1"),
	   "how to get more of perf");
	ok(says("dwell record", DOCTOR_LESS, "perf", "in user code, and system time by", NULL),
	   "the clock that is used instead");
	machine.paranoid = -1;
	doctor_judge(&machine, checks);
	ok(says("perf events", DOCTOR_LESS, "EACCES", "CPU timers", "security module"),
	   "a setting that is low already is not advised");
}

static struct machine without_perf(int code)
{
	struct machine machine = best();

	machine.perf_whole = machine.perf_user = machine.perf_signal = machine.perf_child = code;
	strcpy(machine.record.clock, "timer");
	return machine;
}

static void no_perf(void)
{
	struct machine machine = without_perf(EPERM);

	machine.seccomp = 2;
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS, "a container has less, but no failure");
	ok(says("perf events", DOCTOR_LESS, "refused: EPERM", "timers", "seccomp filter"),
	   "a filter is named");
	ok(says("perf signals", DOCTOR_LESS, "not available without", "timers", NULL) &&
		   says("other processes", DOCTOR_LESS, "CPU time: EPERM",
			"only be recorded from inside", NULL),
	   "a check that fails for the same reason has no advice of its own");
	ok(says("dwell record", DOCTOR_LESS, "timer", "by CPU timers: correct totals", NULL),
	   "timers are used");
	machine = without_perf(EACCES);
	machine.paranoid = 3;
	doctor_judge(&machine, checks);
	ok(says("perf events", DOCTOR_LESS, "EACCES (perf_event_paranoid 3)", "timers", "sysctl"),
	   "Debian's strictest setting");
	machine = without_perf(ENOSYS);
	machine.paranoid = MACHINE_UNKNOWN;
	doctor_judge(&machine, checks);
	ok(says("perf events", DOCTOR_LESS, "refused: ENOSYS", "timers", "CONFIG_PERF_EVENTS") &&
		   !strchr(check_of("perf events")->finding, '('),
	   "a kernel without perf events");
	machine = without_perf(EPERM);
	doctor_judge(&machine, checks);
	ok(says("perf events", DOCTOR_LESS, "EPERM", "timers", "security module"),
	   "refused, and nothing tells by whom");
}

static void kernels(void)
{
	struct machine machine = best();

	strcpy(machine.kernel, "6.10.0");
	doctor_judge(&machine, checks);
	ok(says("kernel", DOCTOR_LESS, "Linux", "system time is sampled by CPU timers", "6.11") &&
		   says("dwell record", DOCTOR_LESS, "perf", "in user code", NULL),
	   "Linux 6.10: perf events stay out of system calls");
	strcpy(machine.kernel, "5.10.0");
	machine.perf_signal = EINVAL;
	strcpy(machine.record.clock, "timer");
	doctor_judge(&machine, checks);
	ok(says("kernel", DOCTOR_LESS, "Linux", "instead of perf events", "6.11") &&
		   says("perf signals", DOCTOR_LESS, "refused: EINVAL", "timers", "5.19"),
	   "Linux 5.10: there are none");
	machine = best();
	machine.is_traced = true;
	strcpy(machine.record.clock, "timer");
	doctor_judge(&machine, checks);
	ok(says("perf signals", DOCTOR_LESS, "debugger", "timers", "without a debugger"),
	   "a debugger");
	machine = best();
	machine.timer = EPERM;
	strcpy(machine.record.clock, "itimer");
	doctor_judge(&machine, checks);
	ok(says("CPU timers", DOCTOR_LESS, "refused: EPERM", "setitimer()", "timer_create") &&
		   says("dwell record", DOCTOR_LESS, "itimer", "setitimer()", NULL),
	   "no timers");
	machine = best();
	machine.counter_is_used = false;
	strcpy(machine.clocksource, "hpet");
	doctor_judge(&machine, checks);
	ok(says("CPU counter", DOCTOR_LESS, "hpet", "higher overhead per call", NULL),
	   "no counter to rely on");
}

static void other_processes(void)
{
	struct machine machine = best();

	machine.ptrace_scope = 1;
	doctor_judge(&machine, checks);
	ok(says("other processes", DOCTOR_LESS, "ptrace_scope 1", "only commands that dwell starts",
		"ptrace_scope=0"),
	   "children alone");
	machine.is_root = true;
	doctor_judge(&machine, checks);
	ok(says("other processes", DOCTOR_FINE, "ptrace_scope 1", "from outside", NULL),
	   "that does not hold for root");
	machine.ptrace_scope = 3;
	machine.read_child = EPERM;
	doctor_judge(&machine, checks);
	ok(says("other processes", DOCTOR_LESS, "memory: EPERM (ptrace_scope 3)",
		"only be recorded from inside", "ptrace_scope=0"),
	   "not even children");
	machine.ptrace_scope = MACHINE_UNKNOWN;
	doctor_judge(&machine, checks);
	ok(says("other processes", DOCTOR_LESS, "memory: EPERM", "only be recorded from inside",
		"seccomp"),
	   "by a filter");
}

static void room(void)
{
	struct machine machine = best();

	machine.limit_memory = UINT64_C(400) << 20;
	ok(doctor_judge(&machine, checks) == DOCTOR_FAILS &&
		   says("limits", DOCTOR_FAILS, "400 MB", "512 MB", "ulimit -v"),
	   "too little address space");
	machine = best();
	machine.limit_file = 40960;
	ok(doctor_judge(&machine, checks) == DOCTOR_FAILS &&
		   says("limits", DOCTOR_FAILS, "40 KB", "nothing", "ulimit -f"),
	   "no file is long enough");
	machine.limit_file = 1 << 20;
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS &&
		   says("limits", DOCTOR_LESS, "1024 KB", "long recordings", "ulimit -f"),
	   "files that are short");
	machine = best();
	machine.limit_descriptors = 256;
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS &&
		   says("limits", DOCTOR_LESS, "256", "do not move the recording", "ulimit -n"),
	   "few descriptors");
	machine = best();
	machine.folder = EROFS;
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS &&
		   says("this directory", DOCTOR_LESS, "Read-only", "cannot be written here",
			"-o DATA"),
	   "a directory that cannot be written");
	machine.folder = 0;
	machine.folder_is_memory = true;
	ok(doctor_judge(&machine, checks) == DOCTOR_FINE &&
		   says("this directory", DOCTOR_FINE, "in memory", "is kept in memory", NULL),
	   "one in memory");
}

static void verbs(void)
{
	struct machine machine = best();

	machine.audit = (struct machine_run){ .why = "the linker did not load it" };
	ok(doctor_judge(&machine, checks) == DOCTOR_LESS &&
		   says("dwell calls", DOCTOR_LESS, "(glibc 2.36): the linker did not", "--via got",
			"--via got"),
	   "no auditing: there is another way");
	machine.got = machine.audit;
	ok(doctor_judge(&machine, checks) == DOCTOR_FAILS &&
		   says("dwell calls", DOCTOR_FAILS, "the linker did not", "does not work", NULL),
	   "neither way");
	machine = best();
	machine.record = (struct machine_run){ .why = "the library is not there" };
	ok(doctor_judge(&machine, checks) == DOCTOR_FAILS &&
		   says("dwell record", DOCTOR_FAILS, "is not there", "does not work", NULL),
	   "no samples");
}

/* Any finding leads to some output. */
static void anything(void)
{
	struct machine machine;
	uint64_t state = 11;
	bool all = true;

	for (int round = 0; round < 20000; round++) {
		int *trials[] = { &machine.perf_whole, &machine.perf_user,   &machine.perf_signal,
				  &machine.perf_child, &machine.timer,       &machine.read_child,
				  &machine.folder,     &machine.ptrace_scope };

		machine = best();
		for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
			*trials[i] = random64_below(&state, 2) ? 0 : (int)random64(&state);
		machine.paranoid = (int)random64_below(&state, 6) - 2;
		machine.seccomp = (int)random64_below(&state, 3);
		machine.limit_file = random64_any_size(&state);
		machine.limit_memory = random64_any_size(&state);
		doctor_judge(&machine, checks);
		for (size_t i = 0; i < DOCTOR_CHECKS; i++)
			all = all && checks[i].name && *checks[i].finding && checks[i].consequence;
	}
	ok(all, "each check says something of any machine");
}

int main(void)
{
	everything();
	an_unprivileged_user();
	no_perf();
	kernels();
	other_processes();
	room();
	verbs();
	anything();
	return tap_done();
}
