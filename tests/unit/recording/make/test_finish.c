/* SPDX-License-Identifier: MIT
 *
 * test_finish.c - a recording is packed when no process can write to it any more, and not before;
 * and later processes find it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/make/pack.h"

/* Replaces pack_write() so that a test can act while the new file is written. */
static int pack_and_be_disturbed(const struct reader *reader, const struct pack_extra *extra,
				 int fd, const char *path, struct err *err);

#define pack_write pack_and_be_disturbed
#include "recording/make/finish.c"
#undef pack_write

#include "recording/read/labels.h"
#include "recording/write/room.h"
#include "recording/write/samples.h"
#include "tap.h"

#define DATA "settled.data"

static char *const command[] = { (char[]){ "prog" }, NULL };
static struct spec_list chosen;
static struct label_list labels;
static bool has_leases;

/* Writes a thread's samples as a target does, in a separate process. Then it waits on `until`, if
 * given. */
static pid_t write_samples(uint32_t pid, int until)
{
	struct record_process *process;
	struct record_thread *thread;
	struct samples_writer writer = { .weight_ns = 1000 };
	uint64_t segment, its;
	struct room room;
	int written[2];
	char byte;
	pid_t child;

	if (pipe(written))
		bail_out("there are no pipes");
	child = fork();
	if (child) {
		close(written[1]);
		if (read(written[0], &byte, 1) != 1)
			bail_out("nothing was recorded");
		close(written[0]);
		return child;
	}
	if (room_attach(DATA))
		_exit(1);
	process = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &segment);
	thread = room_segment(RECORD_THREAD, segment, RECORD_GRAIN, &its);
	if (!process || !thread)
		_exit(2);
	process->pid = pid;
	room = (struct room){ .next = (char *)(thread + 1),
			      .end = (char *)thread + RECORD_GRAIN - sizeof(struct record_segment),
			      .kind = RECORD_COUNTS,
			      .owner = its };
	writer.room = &room;
	samples_begin(&writer, pid);
	for (uint64_t i = 0; i < 5000; i++)
		samples_add(&writer, 1, 1, i << 20);
	if (write(written[1], "", 1) != 1)
		_exit(3);
	if (until >= 0 && read(until, &byte, 1) == 1)
		samples_add(&writer, 1, 1, UINT64_C(5000) << 20);
	_exit(0);
}

static void end(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		bail_out("a process has not ended as it should");
}

static const struct rusage used = { .ru_utime = { 0, 4 }, .ru_stime = { 0, 3 } };

/* Returns true if the head of SETUP is the one made by create(). */
static bool has_setup(const struct reader *reader)
{
	struct record_segment setup = reader_setup(reader);

	const char *host = labels_find(reader_first(reader, RECORD_SETUP), "host");

	return setup.cpu_ns == 7000 && setup.system_ns == 3000 && setup.tick_ns && host &&
	       strcmp(host, "node1") == 0;
}

static struct creation create(const struct spec_list *specs)
{
	struct create_options options = {
		.command = command, .hz = 1000, .chosen = specs, .labels = &labels
	};
	struct creation creation;
	struct err err;

	if (create_open(&creation, DATA, &options, &err) || create_started(&creation, &err) ||
	    create_used(&creation, &used, &err))
		bail_out(err.text);
	return creation;
}

static off_t size_of_data(void)
{
	struct stat status;

	return stat(DATA, &status) ? -1 : status.st_size;
}

static bool settle(struct creation *creation, enum finish_writers writers)
{
	off_t before = size_of_data();
	struct reader reader;
	struct err err;

	if (create_ended(creation, 0, &err) || finish_read(creation, writers, &reader, &err))
		bail_out(err.text);
	if (reader.bytes != (uint64_t)size_of_data())
		bail_out("the reader gets another size than that of the file");
	reader_close(&reader);
	return size_of_data() < before;
}

static uint64_t setup_offset(void)
{
	struct reader reader;
	struct err err;
	uint64_t offset;

	if (reader_open(&reader, DATA, &err))
		bail_out(err.text);
	offset = reader_first(&reader, RECORD_SETUP)->offset;
	reader_close(&reader);
	return offset;
}

/* Counts samples of a process, or of all if its id is 0. */
static size_t samples_of(uint32_t pid)
{
	const struct reader_segment *process;
	struct reader reader;
	struct err err;
	size_t count = 0;

	if (reader_open(&reader, DATA, &err))
		bail_out(err.text);
	if (reader.damaged || reader.missing || !has_setup(&reader))
		bail_out("it is not whole");
	for (size_t i = 0; i < reader.count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader.segments[i], item)))
			if (item->kind == RECORD_SAMPLES &&
			    (!pid || ((const struct record_samples *)item)->tid == pid))
				count += ((const struct record_samples *)item)->count;
		process = reader_segment_at(&reader, reader.segments[i].owner);
		if (reader.segments[i].kind == RECORD_THREAD && !process)
			bail_out("a thread has lost its process");
	}
	reader_close(&reader);
	return count;
}

static int files_here(void)
{
	DIR *folder = opendir(".");
	int count = 0;

	while (folder && readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* If the kernel does not report mappings of a file, only our own recordings are packed. */
static void find_leases(void)
{
	int fd = open("lease", O_RDWR | O_CREAT, 0600), other = open("lease", O_RDWR);
	void *page = ftruncate(fd, RECORD_GRAIN)
			     ? MAP_FAILED
			     : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, other, 0);

	close(other);
	has_leases = fcntl(fd, F_SETLEASE, F_WRLCK) != 0;
	munmap(page, 4096);
	has_leases = has_leases && fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
	close(fd);
	unlink("lease");
}

static void ended(void)
{
	struct creation creation = create(NULL);
	struct stat file;
	int files = files_here(), fd;
	off_t before;
	bool done;

	fchmod(creation.fd, 0640);
	end(write_samples(11, -1));
	before = size_of_data();
	done = settle(&creation, FINISH_TARGETS);
	ok(done, "a finished recording is packed: %lld bytes of %lld", (long long)size_of_data(),
	   (long long)before);
	ok(samples_of(11) == 5000, "and all of it is there");
	ok(setup_offset() < RECORD_GRAIN, "labels alone need no fixed place");
	ok(stat(DATA, &file) == 0 && (file.st_mode & 07777) == 0640 && files_here() == files,
	   "its permissions stay; no other file is left");
	fd = open(DATA, O_RDONLY);
	ok(flock(fd, LOCK_EX | LOCK_NB) != 0, "it is still locked");
	create_close(&creation);
	ok(flock(fd, LOCK_EX | LOCK_NB) == 0 && fcntl(fd, F_GETLEASE) == F_UNLCK,
	   "until it is closed, and has no lease");
	close(fd);
	end(write_samples(12, -1));
	ok(samples_of(11) == 5000 && samples_of(12) == 5000,
	   "a process that begins later is recorded behind it");
	unlink(DATA);
}

static void outlived(void)
{
	struct creation creation = create(NULL);
	int until[2];
	pid_t child;

	if (pipe(until))
		bail_out("there are no pipes");
	child = write_samples(21, until[0]);
	ok(!settle(&creation, FINISH_TARGETS), "while a process has it mapped it stays");
	if (write(until[1], "", 1) != 1)
		bail_out("the process is gone");
	end(child);
	ok(samples_of(21) == 5001, "and has what that records later");
	ok(settle(&creation, FINISH_TARGETS) && samples_of(21) == 5001, "then it is packed");
	create_close(&creation);
	close(until[0]);
	close(until[1]);
	unlink(DATA);
}

/* SETUP stays where processes expect it. */
static void asked_for(void)
{
	struct creation creation = create(&chosen);
	const struct record_segment *setup;
	int fd;

	end(write_samples(31, -1));
	ok(settle(&creation, FINISH_TARGETS) && samples_of(31) == 5000,
	   "one with specs is packed as well");
	fd = open(DATA, O_RDONLY);
	setup = mmap(NULL, RECORD_GRAIN, PROT_READ, MAP_SHARED, fd, RECORD_GRAIN);
	ok(setup != MAP_FAILED && setup->mark == RECORD_SEGMENT_MARK &&
		   setup->kind == RECORD_SETUP && setup->size == 2 * RECORD_PACKED,
	   "and has these where they were");
	munmap((void *)setup, RECORD_GRAIN);
	close(fd);
	create_close(&creation);
	unlink(DATA);
}

/* Opens the recording, which has to wait for the lease; exits with 0 if it finds the new one. */
static pid_t come_late(const struct creation *creation)
{
	pid_t child = fork();
	struct record_header *header;

	if (child)
		return child;
	/* As exec does: else the lease would be ours, too. */
	close(creation->fd);
	if (room_attach(DATA))
		_exit(1);
	header = room_header();
	_exit(header->flags == 7 ? 0 : 2);
}

static const struct creation *disturbed; /* NULL: undisturbed */
static pid_t latecomer;

static int pack_and_be_disturbed(const struct reader *reader, const struct pack_extra *extra,
				 int fd, const char *path, struct err *err)
{
	int status = pack_write(reader, extra, fd, path, err);

	if (disturbed) {
		latecomer = come_late(disturbed);
		while (fcntl(disturbed->fd, F_GETLEASE) == F_WRLCK)
			usleep(1000);
	}
	return status;
}

/* A process begins just while it is being replaced. */
static void meanwhile(void)
{
	struct creation creation = create(NULL);
	struct record_header header;
	pid_t child;
	int fd, status = -1;

	signal(SIGIO, SIG_IGN);
	fd = open("new", O_RDWR | O_CREAT, 0600);
	if (pread(creation.fd, &header, sizeof(header), 0) != sizeof(header))
		bail_out("there is no header");
	header.flags = 7;
	if (pwrite(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    fcntl(creation.fd, F_SETLEASE, F_WRLCK))
		bail_out("there is no lease");
	child = come_late(&creation);
	while (fcntl(creation.fd, F_GETLEASE) == F_WRLCK && waitpid(child, &status, WNOHANG) == 0)
		usleep(1000);
	ok(status == -1, "a process that opens it meanwhile has to wait");
	rename("new", DATA);
	create_close(&creation);
	close(fd);
	waitpid(child, &status, 0);
	ok(status == 0, "and is then at the one that has replaced it");
	signal(SIGIO, SIG_DFL);
	unlink(DATA);
}

static void ours(void)
{
	struct creation creation = create(NULL);
	void *page;

	end(write_samples(41, -1));
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, creation.fd, 0);
	ok(settle(&creation, FINISH_US) && samples_of(41) == 5000,
	   "a recording written from outside is packed at once");
	munmap(page, 4096);
	create_close(&creation);
	unlink(DATA);
}

/* A process attaches while the new file is written: its samples would be in the old one. */
static void lease_lost(void)
{
	struct creation creation = create(NULL);
	int files, status = -1;

	end(write_samples(61, -1));
	files = files_here();
	disturbed = &creation;
	ok(!settle(&creation, FINISH_TARGETS) && files_here() == files,
	   "a recording that a process opens meanwhile is not replaced");
	disturbed = NULL;
	waitpid(latecomer, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 2, "the process gets the old one");
	ok(samples_of(61) == 5000 && settle(&creation, FINISH_TARGETS) && samples_of(61) == 5000,
	   "the recording is packed after the process has ended");
	create_close(&creation);
	unlink(DATA);
}

/* It is unchanged if it must not, or cannot, be replaced. */
static void left_alone(void)
{
	struct creation creation = create(NULL);
	struct rlimit limit = { 8192, RLIM_INFINITY }, none = { RLIM_INFINITY, RLIM_INFINITY };
	struct reader reader;
	struct err err;
	int files;

	end(write_samples(51, -1));
	files = files_here();
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(!settle(&creation, FINISH_US), "not where no file may be so large");
	setrlimit(RLIMIT_FSIZE, &none);
	if (link(DATA, "other"))
		bail_out("there are no links");
	ok(!settle(&creation, FINISH_US) && files_here() == files + 1,
	   "not if it has another name, which would then be of the old one");
	unlink("other");
	rename(DATA, "other");
	if (symlink("other", DATA))
		bail_out("there are no links");
	ok(finish_read(&creation, FINISH_US, &reader, &err) == -ESTALE &&
		   strstr(err.text, "lost") && files_here() == files + 1,
	   "not if its name has become another file's: then it is lost");
	unlink(DATA);
	rename("other", DATA);
	ok(samples_of(51) == 5000 && settle(&creation, FINISH_US), "else it is");
	create_close(&creation);
	unlink(DATA);
}

/* While it was written. */
static void truncated(void)
{
	struct creation creation = create(NULL);
	struct reader reader;
	struct err err;

	end(write_samples(71, -1));
	if (truncate(DATA, size_of_data() - 8192) ||
	    finish_read(&creation, FINISH_US, &reader, &err))
		bail_out("it cannot be read");
	ok(finish_is_torn(&reader), "one that has lost its end is torn");
	reader_close(&reader);
	if (truncate(DATA, 0))
		bail_out("it cannot be truncated");
	ok(finish_read(&creation, FINISH_US, &reader, &err) == -ENODATA && strstr(err.text, "lost"),
	   "one that has lost everything is lost");
	create_close(&creation);
	unlink(DATA);
}

int main(void)
{
	char folder[] = "/tmp/dwell-settle.XXXXXX";
	struct err err;

	if (!mkdtemp(folder) || chdir(folder))
		bail_out("there is no folder to test in");
	if (spec_list_add(&chosen, "libz*:*", &err) || label_list_add(&labels, "host=node1", &err))
		bail_out(err.text);
	find_leases();
	if (has_leases) {
		ended();
		outlived();
		asked_for();
		meanwhile();
		lease_lost();
	} else {
		skip("packed when all have ended",
		     "the kernel does not tell who has a file mapped");
	}
	ours();
	left_alone();
	truncated();
	spec_list_free(&chosen);
	label_list_free(&labels);
	rmdir(folder);
	return tap_done();
}
