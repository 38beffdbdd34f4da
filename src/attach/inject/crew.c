/* SPDX-License-Identifier: MIT */
#include "attach/inject/crew.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "attach/inject/safe_place.h"
#include "attach/proc.h"

#define STOP_MS  100  /* for one thread to stop */
#define TRIES    2000 /* rounds over all threads */
#define PAUSE_NS 1000000

static void pause_shortly(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

/* Stops a thread and reads its registers. Nothing to release unless 0. */
static int stop_one(struct remote *remote, pid_t pid, pid_t tid)
{
	int err = remote_stop(remote, pid, tid, STOP_MS);

	if (!err)
		err = remote_read(remote);
	if (err)
		remote_release(remote);
	return err;
}

static int find_among(struct layout *layout, struct remote *remote, const pid_t *tids, size_t count)
{
	int err = -ESRCH;

	for (size_t i = 0; i < count; i++) {
		int one = stop_one(remote, layout->pid, tids[i]);

		if (!one && safe_place(layout, remote))
			return 0;
		if (!one)
			remote_release(remote);
		/* A thread that has ended is one less; of a process that has ended, there are
		 * none. */
		if (one == -EPERM)
			return one;
		if (one != -ESRCH)
			err = -EBUSY;
	}
	return err;
}

int crew_find_one(struct layout *layout, struct remote *remote)
{
	int err = -EBUSY;

	for (int i = 0; i < TRIES && err == -EBUSY; i++) {
		pid_t *tids;
		size_t count;

		if (i > 0)
			pause_shortly();
		err = proc_tasks(layout->pid, &tids, &count);
		if (!err)
			err = find_among(layout, remote, tids, count);
		free(tids);
	}
	return err;
}

static bool has(const struct crew *crew, pid_t tid)
{
	for (size_t i = 0; i < crew->count; i++)
		if (crew->threads[i].tid == tid)
			return true;
	return false;
}

static int add(struct crew *crew, pid_t pid, pid_t tid)
{
	struct remote *more = realloc(crew->threads, (crew->count + 1) * sizeof(*crew->threads));
	int err;

	if (!more)
		return -ENOMEM;
	crew->threads = more;
	err = remote_stop(&more[crew->count], pid, tid, STOP_MS);
	if (!err)
		err = remote_read(&more[crew->count]);
	/* One that has not stopped yet will, and is to be released then. */
	if (!err || err == -ETIMEDOUT)
		crew->count++;
	else
		remote_release(&more[crew->count]);
	return err == -ESRCH ? 0 : err;
}

/* Stops the threads that are there now. Sets *grew if there were any that were not stopped yet. */
static int add_all(const struct layout *layout, struct crew *crew, bool *grew)
{
	pid_t *tids;
	size_t count, before = crew->count;
	int err = proc_tasks(layout->pid, &tids, &count);

	for (size_t i = 0; i < count && !err; i++)
		if (!has(crew, tids[i]))
			err = add(crew, layout->pid, tids[i]);
	free(tids);
	*grew = crew->count > before;
	return err;
}

static bool are_outside(struct layout *layout, const struct crew *crew)
{
	for (size_t i = 0; i < crew->count; i++)
		if (!safe_place_outside(layout, &crew->threads[i]))
			return false;
	return true;
}

int crew_stop(const struct layout *layout, struct crew *crew)
{
	bool grew = true;
	int err = 0;

	*crew = (struct crew){ 0 };
	/* Threads that were stopped start no others. */
	while (!err && grew)
		err = add_all(layout, crew, &grew);
	return !err && !crew->count ? -ESRCH : err;
}

int crew_stop_all(struct layout *layout, struct crew *crew)
{
	for (int i = 0; i < TRIES; i++) {
		int err = crew_stop(layout, crew);

		if (!err && are_outside(layout, crew))
			return 0;
		crew_release(crew);
		if (err && err != -ETIMEDOUT)
			return err;
		pause_shortly();
	}
	return -EBUSY;
}

void crew_release(struct crew *crew)
{
	/* One that is still in the kernel may wait for the others. */
	for (size_t i = 0; i < crew->count; i++)
		if (crew->threads[i].is_stopped)
			remote_release(&crew->threads[i]);
	for (size_t i = 0; i < crew->count; i++)
		remote_release(&crew->threads[i]);
	free(crew->threads);
	*crew = (struct crew){ 0 };
}
