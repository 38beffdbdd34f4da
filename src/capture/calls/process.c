/* SPDX-License-Identifier: MIT */
#include "capture/calls/process.h"

#include "capture/sys.h"

struct calls_state calls_state;

uint64_t process_now(void)
{
	return calls_state.clock == RECORD_CLOCK_TICKS ? arch_ticks()
						       : (uint64_t)sys_clock_ns(CLOCK_MONOTONIC);
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
	calls_state.process_segment = segment;
}

void *process_memory(size_t size)
{
	void *memory = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (sys_failed(memory))
		return NULL;
	sys_madvise(memory, size, MADV_WIPEONFORK);
	return memory;
}

void process_lost(uint64_t *count)
{
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
