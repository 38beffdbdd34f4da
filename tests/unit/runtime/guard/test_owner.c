/* SPDX-License-Identifier: MIT
 *
 * test_owner.c - a recording is given to the new user of a process, unless that user would gain the
 * rights of others by it.
 */
#include "../../apart.h"
#include "unit/runtime/calls/wrapped.h"
#include "runtime/guard/owner.h"
#include "runtime/guard/pid_namespace.h"

#define OTHER_USER 65534

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static uid_t owner(void)
{
	struct stat status;

	return fstat(wrapped.fd, &status) ? OWNER_NONE : status.st_uid;
}

static void end(void)
{
	unlink(wrapped.path);
}

/* Adds another recorded process. */
static struct record_process *add_process(pid_t pid)
{
	uint64_t offset;
	struct record_process *process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &offset);

	if (!process)
		bail_out("there is no segment");
	process->pid = (uint32_t)pid;
	process->pid_namespace = pid_namespace();
	return process;
}

static pid_t ended_child(void)
{
	pid_t child = apart_fork();

	if (child == 0)
		_exit(0);
	apart_wait(child);
	return child;
}

static void alone(void)
{
	ok(owner_give(OTHER_USER) == OWNER_NONE, "without a recording, nothing is given");
	begin();
	ok(owner_give(OWNER_NONE) == OWNER_NONE && owner() == 0,
	   "a process that changes its user for a while keeps it");
	ok(owner_give(0) == OWNER_NONE && owner() == 0, "so does who stays who he is");
	add_process(getpid());
	add_process(ended_child());
	ok(owner_give(OTHER_USER) == 0 && owner() == OTHER_USER,
	   "whom the process becomes has it, if all others have ended");
	owner_take_back(0);
	ok(owner() == 0, "and gives it back");
	owner_take_back(OWNER_NONE);
	ok(owner() == 0, "a recording that was not given is not taken");
	end();
}

static void among_others(void)
{
	begin();
	add_process(getpid());
	add_process(getppid());
	ok(owner_give(OTHER_USER) == OWNER_NONE && owner() == 0,
	   "while another process is recorded, it is not given away");
	end();
}

static void with_child(void)
{
	pid_t child = apart_fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	begin();
	ok(owner_give(OTHER_USER) == OWNER_NONE && owner() == 0,
	   "nor while there is a child, which may be recorded yet");
	kill(child, SIGKILL);
	apart_wait(child);
	ok(owner_give(OTHER_USER) == 0, "but when there is none");
	end();
}

static void of_other_namespace(void)
{
	struct record_process *process;

	begin();
	process = add_process(ended_child());
	process->pid_namespace++;
	ok(owner_give(OTHER_USER) == OWNER_NONE,
	   "nor if there was a process of another namespace, which cannot be queried here");
	process->pid_namespace = 0;
	ok(owner_give(OTHER_USER) == OWNER_NONE, "or of an unknown one");
	end();
}

static void with_lost(void)
{
	begin();
	room_lost_process(77);
	ok(owner_give(OTHER_USER) == OWNER_NONE,
	   "nor if there was no room for a process, which cannot be queried");
	end();
}

static void cut(void)
{
	begin();
	add_process(getpid());
	if (ftruncate(wrapped.fd, 2 * RECORD_GRAIN))
		bail_out("the recording cannot be cut");
	ok(owner_give(OTHER_USER) == OWNER_NONE, "nor if part of the recording is missing");
	end();
}

int main(void)
{
	if (geteuid() != 0) {
		skip("whose the recording is", "it takes root to give it away");
		return tap_done();
	}
	apart("alone", alone);
	apart("among others", among_others);
	apart("with a child", with_child);
	apart("with one of another namespace", of_other_namespace);
	apart("with one that is lost", with_lost);
	apart("cut", cut);
	return tap_done();
}
