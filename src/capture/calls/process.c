/* SPDX-License-Identifier: MIT */
#include "capture/calls/process.h"

#include "capture/calls/vdso.h"
#include "capture/sys.h"

struct calls_state calls_state;

/* The kernel's way to read the clock without entering it; NULL: there is none. */
static int (*quick_clock)(clockid_t, struct timespec *);

uint64_t process_now(void)
{
	struct timespec now;

	if (calls_state.clock == RECORD_CLOCK_TICKS)
		return arch_ticks();
	if (!quick_clock || quick_clock(CLOCK_MONOTONIC, &now) != 0)
		return (uint64_t)sys_clock_ns(CLOCK_MONOTONIC);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The arguments this image was started with, as many as fit. */
static void read_command(char *command, size_t size)
{
	int fd = sys_open("/proc/self/cmdline", O_RDONLY);
	long length;

	if (fd < 0)
		return;
	length = sys_read(fd, command, size - 1);
	command[length < 0 ? 0 : length] = '\0';
	sys_close(fd);
}

void process_start(bool forked)
{
	const struct record_process *parent = forked ? calls_state.process : NULL;
	struct record_process *process;
	uint64_t segment;

	if (calls_state.clock != RECORD_CLOCK_TICKS)
		quick_clock = (int (*)(clockid_t, struct timespec *))vdso_find(ARCH_VDSO_CLOCK);
	process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &segment);
	if (process) {
		process->pid = (uint32_t)sys_getpid();
		process->parent_pid = (uint32_t)sys_getppid();
		process->started = process_now();
		read_command(process->command, sizeof(process->command));
		if (parent) {
			process->forked = 1;
			process->parent = calls_state.process_segment;
			process->inside = parent->inside;
			process->outside = parent->outside;
		}
		calls_state.names =
			(struct room){ .next = (char *)(process + 1),
				       .end = (char *)process - sizeof(struct record_segment) +
					      RECORD_GRAIN,
				       .kind = RECORD_NAMES,
				       .owner = segment };
	}
	calls_state.process = process;
	calls_state.process_segment = process ? segment : 0;
}

void *process_memory(size_t size)
{
	void *memory = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (sys_failed(memory))
		return NULL;
	if (sys_madvise(memory, size, MADV_WIPEONFORK) == 0)
		return memory;
	sys_munmap(memory, size);
	return NULL;
}

void process_lost(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
