/* SPDX-License-Identifier: MIT
 *
 * test_proc.c - /proc for ourselves, for a waiting child, and for processes that are gone.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/proc.h"
#include "emulated.h"
#include "tap.h"

static void *wait_for_end(void *barrier)
{
	prctl(PR_SET_NAME, "a worker) R 1 2");
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void threads(void)
{
	pthread_barrier_t barrier;
	struct proc_stat stat;
	pthread_t thread;
	char name[16];
	size_t count;
	pid_t *tids;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_for_end, &barrier);
	pthread_barrier_wait(&barrier);
	ok(proc_tasks(getpid(), &tids, &count) == 0 && count == 2, "both threads are listed");
	proc_name(getpid(), count == 2 ? tids[1] : 0, name);
	ok(strcmp(name, "a worker) R 1 2") == 0, "with their names: %s", name);
	ok(count == 2 && proc_stat(tids[1], &stat) == 0 && stat.parent == getppid() &&
		   !stat.is_kernel,
	   "a name with a bracket in it does not confuse");
	free(tids);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	proc_name(getpid(), 999999999, name);
	ok(name[0] == '\0', "a thread that is not there has no name");
}

static void cpu_time(void)
{
	uint64_t before = 0, after = 0;
	struct proc_schedule schedule;
	struct timespec now;

	if (!proc_cpu_ns(getpid(), getpid(), &before)) {
		skip("CPU time", "this kernel has no schedstat");
		return;
	}
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while (now.tv_sec == 0 && now.tv_nsec < 50000000);
	sched_yield();
	proc_cpu_ns(getpid(), getpid(), &after);
	ok(after > before && after <= 60000000000 && after >= 40000000,
	   "CPU time is that of the thread's clock: %lu ns", after);
	ok(proc_schedule(getpid(), getpid(), &schedule) && schedule.cpu_ns >= after &&
		   schedule.runs,
	   "it was given a CPU %lu times, and waited %lu ns for it", schedule.runs,
	   schedule.wait_ns);
	ok(!proc_cpu_ns(999999999, 999999999, &before),
	   "there is none for a process that has ended");
}

static int find_code(void *address, const struct proc_map *map)
{
	if (!map->is_executable || *(uintptr_t *)address < map->start ||
	    *(uintptr_t *)address >= map->end)
		return 0;
	ok(map->inode && map->path[0] == '/', "our code is mapped from %s", map->path);
	return 17;
}

static void maps(void)
{
	uintptr_t address = (uintptr_t)find_code, nowhere = 1;

	ok(proc_each_map(getpid(), find_code, &address) == 17,
	   "mappings are listed, until the callback stops");
	ok(proc_each_map(getpid(), find_code, &nowhere) == 0, "or to its end");
	ok(proc_each_map(999999999, find_code, &address) == -ENOENT,
	   "a process that does not exist has no mappings");
}

static void places(void)
{
	struct proc_place place = { 0 };
	struct proc_stat stat;
	char command[PATH_MAX];
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		for (;;)
			pause();
	}
	for (int i = 0; i < 1000 && (status || place.is_running); i++) {
		usleep(1000);
		status = proc_place(child, child, &place);
	}
	if (status)
		skip("where a thread waits", strerror(-status));
	else
		ok(!place.is_running && place.pc && place.sp > place.pc / 2,
		   "where a thread waits, and its stack: %lx, %lx", place.pc, place.sp);
	proc_command(child, command, sizeof(command));
	if (is_emulated())
		skip("the command of a process", NO_PROCESSES);
	else
		ok(strstr(command, "test_proc"), "its command is %s", command);
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	ok(proc_stat(child, &stat) == 0 && stat.state == 'Z' && stat.parent == getpid(),
	   "one that has ended and was not asked for is a zombie of ours");
	waitpid(child, NULL, 0);
	ok(proc_stat(child, &stat) < 0, "then it is gone");
	ok(proc_place(child, child, &place) < 0, "and nowhere");
}

static void users(void)
{
	ok(proc_is_of_user(getpid(), geteuid()), "this process is its user's");
	ok(!proc_is_of_user(getpid(), geteuid() + 1), "and no other's");
	ok(!proc_is_of_user(-1, geteuid()), "one that does not exist has no user");
}

int main(void)
{
	cpu_time();
	if (is_emulated())
		skip("threads", "the emulator has one of its own");
	else
		threads();
	maps();
	places();
	users();
	ok(proc_setting("/proc/sys/kernel/pid_max") > 100 &&
		   proc_setting("/proc/sys/kernel/no_such_thing") == -1,
	   "settings are numbers");
	return tap_done();
}
