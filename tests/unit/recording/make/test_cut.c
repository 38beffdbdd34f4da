/* SPDX-License-Identifier: MIT
 *
 * test_cut.c - pieces of a recording contain every sample once; what they have taken is given back,
 * and the live recording stays valid.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "../../random64.h"

#define DATA  "cut.data"
#define PIECE "cut.dwell"
#include "live.h"

/* ---- samples ---- */

/* Returns the PID of a process that has ended. */
static uint32_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (uint32_t)pid;
}

static void last_sample(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_contents first, second, last;
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 100, 0);
	first = take(&live, false);
	ok(first.samples == 99 && first.weight == 99, "the last sample is not final yet");
	samples_adjust(&writer.samples, 5000);
	write_samples(&writer, 50, 0);
	second = take(&live, false);
	ok(second.samples == 50 && second.weight == 55, "the next piece has it as it was changed");
	samples_adjust(&writer.samples, 7000);
	last = take(&live, true);
	ok(last.samples == 1 && last.weight == 8, "the last piece has the rest");
	ok(live.cut.samples == 150 && live.cut.ns == 162000, "and all are counted");
	ok(first.frames == 1 && second.frames == 1 && last.frames == 1,
	   "each piece has the frames that it needs");
	close_live(&live);
}

static void nothing_new(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_contents piece;
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 10, 0);
	take(&live, false);
	piece = take(&live, false);
	ok(piece.samples == 0 && piece.frames == 0 && piece.threads == 0 && piece.processes == 1,
	   "a piece in which nothing happened has the first process alone");
	close_live(&live);
}

static void by_ourselves(void)
{
	struct live_file live = open_live(FINISH_US);
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 100, 0);
	ok(take(&live, false).samples == 100, "samples that we write ourselves are final");
	write_samples(&writer, 1, 0);
	ok(take(&live, false).samples == 1, "each is taken once");
	close_live(&live);
}

static void ended_process(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer writer, ended;
	struct live_contents piece;

	begin(&writer, (uint32_t)getpid());
	begin(&ended, dead_pid());
	write_samples(&ended, 30, 0);
	piece = take(&live, false);
	ok(piece.samples == 30 && piece.processes == 2, "an ended process is taken as a whole");
	ok(take(&live, false).processes == 1, "and once");
	ok(contents_of(DATA).threads == 1, "its threads are given back");
	close_live(&live);
}

/* The segment of a program that called exec() is the older one of two with its PID. */
static void exec_again(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer before, after;

	begin(&before, (uint32_t)getpid());
	write_samples(&before, 10, 0);
	begin(&after, (uint32_t)getpid());
	write_samples(&after, 10, 0);
	ok(take(&live, false).samples == 19, "a program that has called exec() has ended");
	close_live(&live);
}

/* Processes whose PID means nothing here may still be running. */
static void foreign_pids(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer foreign, unknown, other;

	begin(&foreign, dead_pid());
	foreign.process->pid_namespace = 1;
	write_samples(&foreign, 10, 0);
	begin(&unknown, dead_pid());
	unknown.process->pid_namespace = 0;
	write_samples(&unknown, 10, 0);
	begin(&other, unknown.process->pid);
	other.process->pid_namespace = 0;
	write_samples(&other, 10, 0);
	ok(take(&live, false).samples == 27, "a process of another or an unknown namespace lives");
	close_live(&live);
}

static void missing_frame(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 10, 0);
	write_samples(&writer, 10, 2);
	ok(take(&live, false).samples == 10, "samples wait for their frames");
	writer.frames->frames[1].caller = 0;
	writer.frames->frames[2].caller = 1;
	writer.frames->count = 3;
	ok(take(&live, false).samples == 9, "and come with them");
	write_samples(&writer, 10, FRAMES);
	ok(take(&live, true).samples == 11, "at the end they come without");
	close_live(&live);
}

static void child(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer first, parent, forked;
	struct live_contents piece;

	begin(&first, (uint32_t)getppid());
	begin(&parent, dead_pid());
	begin(&forked, (uint32_t)getpid());
	forked.process->forked = 1;
	forked.process->parent = parent.segment;
	take(&live, false);
	write_samples(&forked, 10, 0);
	piece = take(&live, false);
	ok(piece.samples == 9 && piece.processes == 3, "a child comes with its ended parent");
	close_live(&live);
}

/* The names of processes that have ended are kept for children that are not there yet. */
static void many_ended(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer first, parent, forked, ended;
	uint32_t dead = dead_pid();

	begin(&first, (uint32_t)getppid());
	begin(&parent, dead);
	begin(&forked, (uint32_t)getpid());
	forked.process->forked = 1;
	forked.process->parent = parent.segment;
	for (int i = 0; i < 300; i++)
		begin(&ended, dead);
	ok(take(&live, false).processes == 303, "each process is in a piece");
	ok(contents_of(DATA).processes == 3 + 256,
	   "later the names of the last 256 are left, and those of parents");
	close_live(&live);
}

/* ---- the file ---- */

static uint64_t blocks(void)
{
	struct stat file;

	return stat(DATA, &file) ? 0 : (uint64_t)file.st_blocks * 512;
}

static void space(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct record_calls *calls;
	struct live_contents left;
	uint64_t samples = 0, most = 0;
	struct live_writer writer;

	begin(&writer, (uint32_t)getpid());
	calls = room_take(&writer.room, sizeof(*calls));
	calls->last = UINT64_MAX;
	room_publish(&calls->item, RECORD_CALLS);
	for (int i = 0; i < 60; i++) {
		write_samples(&writer, 20000, 0);
		calls->calls++;
		samples += take(&live, false).samples;
		most = blocks() > most ? blocks() : most;
	}
	left = contents_of(DATA);
	ok(samples == 60 * 20000 - 1, "pieces have all samples but the last");
	ok(most < 4 << 20, "the live recording stays small: %llu bytes", (unsigned long long)most);
	ok(left.damaged == 0 && left.frames == 1 && left.calls == 60 && left.samples < 1026,
	   "it stays valid, and keeps frames and counters");
	close_live(&live);
}

static void failing(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct live_writer writer;
	struct err err;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 5000, 0);
	ok(cut_take(&live.cut, "nowhere/piece", false, &err) == -ENOENT &&
		   strstr(err.text, "cannot create 'nowhere/piece"),
	   "a piece that cannot be written is an error");
	ok(take(&live, false).samples == 4999, "the next one has its samples");
	close_live(&live);
}

static void times(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	struct rusage used = { .ru_utime = { 1, 0 } };
	struct live_contents first, last;
	struct live_writer writer;
	struct err err;

	begin(&writer, (uint32_t)getpid());
	first = take(&live, false);
	create_ended(&live.creation, 7 << 8, &err);
	create_used(&live.creation, &used, &err);
	last = take(&live, true);
	ok(first.header.ended.ns && first.header.ended.ns == last.header.started.ns &&
		   first.header.ended.ticks == last.header.started.ticks,
	   "a piece begins where the one before ends");
	ok(first.header.started_unix_ns &&
		   last.header.started_unix_ns > first.header.started_unix_ns,
	   "in the time of day too");
	ok(first.header.flags & RECORD_ATTACHED && !(last.header.flags & RECORD_ATTACHED) &&
		   last.header.status == 7 << 8,
	   "the last one alone has the end of the command");
	ok(last.setup.cpu_ns == 0, "none has the CPU time of the whole run");
	close_live(&live);
}

/* ---- damaged recordings ---- */

#define FLIPS 400

/* Cuts two pieces of a recording with wrong bytes. */
static bool is_cut(const char *bytes, size_t size, enum finish_writers writers)
{
	int fd = open(DATA, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct cut cut = { .fd = fd, .path = DATA, .writers = writers };
	bool has_failed = pwrite(fd, bytes, size, 0) != (ssize_t)size;
	struct err err;

	has_failed |= cut_take(&cut, PIECE, false, &err);
	has_failed |= cut_take(&cut, PIECE, true, &err);
	cut_close(&cut);
	close(fd);
	unlink(PIECE);
	return !has_failed;
}

/* Only its end is checked, and that the sanitizers report nothing. */
static void damaged(void)
{
	struct live_file live = open_live(FINISH_TARGETS);
	static char bytes[8 * RECORD_GRAIN];
	struct live_writer writer, ended;
	uint64_t random = 1;
	int cuts = 0;
	ssize_t size;

	begin(&writer, (uint32_t)getpid());
	write_samples(&writer, 100, 0);
	begin(&ended, dead_pid());
	write_samples(&ended, 100, 0);
	size = pread(live.creation.fd, bytes, sizeof(bytes), 0);
	close_live(&live);
	for (int i = 0; i < FLIPS && size > 0; i++) {
		/* Most of a grain is unused. */
		size_t grain = random64(&random) % ((size_t)size / RECORD_GRAIN);
		size_t at = grain * RECORD_GRAIN + random64(&random) % 1024;
		char before = bytes[at];

		bytes[at] = (char)random64(&random);
		cuts += is_cut(bytes, (size_t)size, i % 2 ? FINISH_US : FINISH_TARGETS);
		bytes[at] = before;
	}
	ok(cuts > 0, "%d of %d damaged recordings can be cut", cuts, FLIPS);
	unlink(DATA);
}

int main(void)
{
	last_sample();
	nothing_new();
	by_ourselves();
	ended_process();
	exec_again();
	foreign_pids();
	missing_frame();
	child();
	many_ended();
	space();
	failing();
	times();
	damaged();
	return tap_done();
}
