/* SPDX-License-Identifier: MIT
 *
 * proc.h - what /proc tells of other processes. All of it may be gone the next moment.
 */
#ifndef DWELL_ATTACH_PROC_H
#define DWELL_ATTACH_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	char state; /* R, S, ... Z: it has ended, and its parent has not asked how */
	pid_t parent;
	bool is_kernel; /* a thread of the kernel */
};

/* 0 or -errno. */
int proc_stat(pid_t pid, struct proc_stat *stat);

/* The threads of a process, to be freed. 0, -ENOMEM, -ESRCH: there is no such process. */
int proc_tasks(pid_t pid, pid_t **tids, size_t *count);

/* What the scheduler knows of a thread. */
struct proc_schedule {
	uint64_t cpu_ns;  /* it has run so long */
	uint64_t wait_ns; /* and waited for a CPU so long */
	uint64_t runs;    /* how often it was given one */
};

/* False: it is gone, or the kernel does not count that. */
bool proc_schedule(pid_t pid, pid_t tid, struct proc_schedule *schedule);
/* The first of it. */
bool proc_cpu_ns(pid_t pid, pid_t tid, uint64_t *ns);

/* "" if there is none. */
void proc_name(pid_t pid, pid_t tid, char name[16]);

/* The arguments, a 0 behind each; as many as fit, and ends with 0. */
void proc_command(pid_t pid, char *command, size_t size);

/* A line of /proc/PID/maps. */
struct proc_map {
	uint64_t start, end, offset;
	uint64_t inode; /* 0: it is no file */
	bool is_executable;
	const char *path; /* "" where there is none */
};

/* Calls each() for every line until it fails. 0, what it answered, or -errno. */
int proc_maps(pid_t pid, int (*each)(void *argument, const struct proc_map *map), void *argument);

/* What /proc/PID/task/TID/syscall tells. */
struct proc_place {
	bool is_running;
	uint64_t sp, pc;
};

/* 0 or -errno: -EACCES, -ESRCH, ... */
int proc_place(pid_t pid, pid_t tid, struct proc_place *place);

/* Of a setting below /proc/sys; -1: it cannot be read. */
int proc_setting(const char *path);

#endif
