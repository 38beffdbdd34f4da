/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "recording/make/timebase.h"
#include "ticks.h"

/* Reads the start of a file of the kernel as text, without the last newline; "" if it cannot be
 * read. */
static void read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	if (length && text[length - 1] == '\n')
		text[length - 1] = '\0';
}

static int read_setting(const char *path)
{
	char text[32], *end;
	long value;

	read_text(path, text, sizeof(text));
	value = strtol(text, &end, 10);
	return end == text ? MACHINE_UNKNOWN : (int)value;
}

static void look_at_kernel(struct machine *machine)
{
	struct utsname names = { 0 };

	uname(&names);
	snprintf(machine->kernel, sizeof(machine->kernel), "%.65s", names.release);
	machine->is_root = geteuid() == 0;
	machine->paranoid = read_setting("/proc/sys/kernel/perf_event_paranoid");
	machine->ptrace_scope = read_setting("/proc/sys/kernel/yama/ptrace_scope");
	snprintf(machine->libc, sizeof(machine->libc), "%s", gnu_get_libc_version());
}

/* Returns the number after a word of /proc/self/status. */
static int find_status(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? atoi(at + strlen(word)) : MACHINE_UNKNOWN;
}

static void look_at_ourselves(struct machine *machine)
{
	char text[4096];

	read_text("/proc/self/status", text, sizeof(text));
	machine->seccomp = find_status(text, "\nSeccomp:");
	machine->is_traced = find_status(text, "\nTracerPid:") > 0;
}

/* Opens an event as the perf clock does, with a mapping instead of a descriptor, that never fires.
 */
int machine_try_perf(int pid, bool with_kernel, bool with_signal)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = UINT64_C(1) << 40,
		.disabled = 1,
		.exclude_kernel = !with_kernel,
		.exclude_hv = 1,
		.sigtrap = with_signal,
		.remove_on_exec = with_signal,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *mapping;
	int code = 0;

	if (fd < 0)
		return errno;
	mapping = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	if (mapping == MAP_FAILED)
		code = errno;
	else
		munmap(mapping, page);
	close(fd);
	return code;
}

static int try_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_NONE };
	timer_t timer;

	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer))
		return errno;
	timer_delete(timer);
	return 0;
}

static void look_at_counter(struct machine *machine)
{
	enum record_clock clock;
	struct err err;

	machine->counter_is_steady = arch_ticks_steady();
	machine->counter_is_used =
		timebase_choose(&clock, &err) == 0 && clock == RECORD_CLOCK_TICKS;
	read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  machine->clocksource, sizeof(machine->clocksource));
}

static uint64_t limit_of(int resource)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* Tries what a recording needs of a file. Pages are allocated before they are mapped, because one
 * without room on the disk would raise SIGBUS. */
static int try_file(int fd)
{
	char *grain;
	int code;

	if (limit_of(RLIMIT_FSIZE) < RECORD_GRAIN)
		return EFBIG;
	code = posix_fallocate(fd, 0, RECORD_GRAIN);
	if (code)
		return code;
	grain = mmap(NULL, RECORD_GRAIN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (grain == MAP_FAILED)
		return errno;
	grain[0] = 1;
	munmap(grain, RECORD_GRAIN);
	return 0;
}

static int try_folder(bool *is_memory)
{
	char path[] = "./dwell-doctor-XXXXXX";
	struct statfs folder;
	int fd = mkostemp(path, O_CLOEXEC), code;

	if (fd < 0)
		return errno;
	unlink(path);
	*is_memory = fstatfs(fd, &folder) == 0 &&
		     (folder.f_type == TMPFS_MAGIC || folder.f_type == RAMFS_MAGIC);
	code = try_file(fd);
	close(fd);
	return code;
}

void machine_look(struct machine *machine)
{
	*machine = (struct machine){ 0 };
	look_at_kernel(machine);
	look_at_ourselves(machine);
	look_at_counter(machine);
	machine->perf_whole = machine_try_perf(0, true, false);
	machine->perf_user = machine_try_perf(0, false, false);
	machine->perf_signal = machine_try_perf(0, false, true);
	machine->timer = try_timer();
	machine->limit_memory = limit_of(RLIMIT_AS);
	machine->limit_file = limit_of(RLIMIT_FSIZE);
	machine->limit_descriptors = limit_of(RLIMIT_NOFILE);
	machine->folder = try_folder(&machine->folder_is_memory);
	machine_try_child(machine);
	machine_try_runs(machine);
}
