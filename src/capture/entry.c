/* SPDX-License-Identifier: MIT */
#include "capture/entry.h"

#include "capture/instant.h"
#include "sys.h"

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

static void inherit(struct record_process *process, const struct entry *parent)
{
	process->forked = 1;
	process->parent = parent->segment;
	process->inside = parent->process->inside;
	process->outside = parent->process->outside;
}

void entry_make(struct entry *entry, const struct entry *parent)
{
	uint64_t segment = 0;
	struct record_process *process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &segment);
	char *start = (char *)process - sizeof(struct record_segment);

	if (!process) {
		*entry = (struct entry){ 0 };
		return;
	}
	process->pid = (uint32_t)sys_getpid();
	process->parent_pid = (uint32_t)sys_getppid();
	process->started = instant_now();
	read_command(process->command, sizeof(process->command));
	if (parent && parent->process)
		inherit(process, parent);
	*entry = (struct entry){ .process = process,
				 .segment = segment,
				 .names = { .next = (char *)(process + 1),
					    .end = start + RECORD_GRAIN,
					    .kind = RECORD_NAMES,
					    .owner = segment } };
}
