/* SPDX-License-Identifier: MIT
 *
 * proc.h - reads /proc of other processes. Everything may be gone the next moment.
 */
#ifndef DWELL_ATTACH_PROC_H
#define DWELL_ATTACH_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/proc_maps.h"

struct proc_stat {
	char state; /* R, S, ... Z: ended, but not waited for */
	pid_t parent;
	bool is_kernel; /* a kernel thread */
};

/* Returns 0 or -errno. */
int proc_stat(pid_t pid, struct proc_stat *stat);

/* Lists the threads of a process; free with free(). Returns 0, -ENOMEM, -ESRCH: no such process. */
int proc_tasks(pid_t pid, pid_t **tids, size_t *count);

/* The scheduler's statistics of a thread. */
struct proc_schedule {
	uint64_t cpu_ns;  /* time it has run */
	uint64_t wait_ns; /* time it has waited for a CPU */
	uint64_t runs;    /* times it was given one */
};

/* Returns false if it is gone, or the kernel does not count that. */
bool proc_schedule(pid_t pid, pid_t tid, struct proc_schedule *schedule);
/* Reads the first of these. */
bool proc_cpu_ns(pid_t pid, pid_t tid, uint64_t *ns);

/* Reads the name; "" if none. */
void proc_name(pid_t pid, pid_t tid, char name[16]);

/* Reads which cgroups it is in, a line each; as much as fits, and ends with 0. */
void proc_cgroup(pid_t pid, char *text, size_t size);

/* Reads the arguments, each with its final 0; as many as fit, and ends with 0. */
void proc_command(pid_t pid, char *command, size_t size);

/* Returns whether all user IDs of the process are this one. The owner of its folder in /proc is
 * root where the process cannot be dumped. */
bool proc_is_of_user(pid_t pid, uid_t uid);

/* Calls each() for every line of /proc/PID/maps until it fails. Returns 0, the value of each(), or
 * -errno. */
int proc_each_map(pid_t pid, int (*each)(void *argument, const struct proc_map *map),
		  void *argument);

/* Contents of /proc/PID/task/TID/syscall. */
struct proc_place {
	bool is_running;
	uint64_t sp, pc;
};

/* Returns 0 or -errno: -EACCES, -ESRCH, ... */
int proc_place(pid_t pid, pid_t tid, struct proc_place *place);

/* Reads a setting below /proc/sys; -1: it cannot be read. */
int proc_setting(const char *path);

#endif
