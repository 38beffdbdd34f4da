/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recording/make/create.h"
#include "recording/read/labels.h"
#include "emulated.h"
#include "tap.h"

static char *const command[] = { (char[]){ "prog" }, (char[]){ "an argument" }, NULL };
static struct spec_list chosen, excluded, from;
static struct label_list labels;
static const struct create_options options = { .flags = RECORD_BY_CALLER,
					       .command = command,
					       .chosen = &chosen,
					       .excluded = &excluded,
					       .from = &from,
					       .labels = &labels };

static bool creates(const char *path, struct err *err)
{
	struct creation creation;

	if (create_open(&creation, path, &options, err))
		return false;
	create_close(&creation);
	return true;
}

static void refuses(const char *path, const char *words)
{
	struct err err = { "" };
	bool created = creates(path, &err);

	if (!ok(!created && strstr(err.text, words), "refused: %s", words))
		note("%s", err.text);
}

static bool is_spec(const struct record_item *item, uint32_t role, const char *text)
{
	const struct record_spec *spec = (const struct record_spec *)item;

	return item && item->kind == RECORD_SPEC && spec->role == role && !spec->matched &&
	       strcmp(spec->text, text) == 0;
}

static bool is_label(const struct record_item *item, const char *key, const char *value)
{
	const struct record_label *label = (const struct record_label *)item;

	return item && item->kind == RECORD_LABEL && strcmp(label->text, key) == 0 &&
	       strcmp(labels_value(label), value) == 0;
}

static void check_setup(const struct reader *reader)
{
	const struct reader_segment *setup = reader_first(reader, RECORD_SETUP);
	const struct record_item *item;

	ok(setup && reader->count == 1 && reader->damaged == 0, "there is a segment of specs");
	item = reader_next(setup, NULL);
	ok(is_spec(item, RECORD_CHOOSE, "libz*:*"), "with what is chosen");
	item = reader_next(setup, item);
	ok(is_spec(item, RECORD_CHOOSE, "mem*"), "each for itself");
	item = reader_next(setup, item);
	ok(is_spec(item, RECORD_EXCLUDE, "memcpy"), "and what is not");
	item = reader_next(setup, item);
	ok(is_spec(item, RECORD_FROM, "prog"), "and by whom it is called");
	item = reader_next(setup, item);
	ok(is_label(item, "host", "node1"), "labels follow");
	item = reader_next(setup, item);
	ok(is_label(item, "empty", ""), "a label may be empty");
	ok(!reader_next(setup, item), "and no more");
}

/* A recording whose samples count an event. */
static void of_an_event(void)
{
	const struct pmu_event event = {
		.name = "cpu/event=0x3c/u", .type = 4, .config = { 0x3c, 5, 6 }, .no_kernel = true
	};
	struct create_options wanted = options;
	const struct record_event *found;
	struct creation creation;
	struct reader reader;
	struct err err;

	wanted.event = &event;
	wanted.period = 1000;
	if (!ok(!create_open(&creation, "event", &wanted, &err) &&
			!reader_open(&reader, "event", &err),
		"a recording of an event"))
		return;
	found = reader_event(&reader);
	ok(found && found->type == 4 && found->config[0] == 0x3c && found->config[2] == 6 &&
		   found->period == 1000 && found->flags == RECORD_EVENT_NO_KERNEL &&
		   strcmp(found->text, "cpu/event=0x3c/u") == 0,
	   "contains it");
	ok((const struct record_item *)found ==
		   reader_next(reader_first(&reader, RECORD_SETUP), NULL),
	   "where processes look for it");
	reader_close(&reader);
	create_close(&creation);
}

static void a_new_one(void)
{
	struct rusage used = { .ru_utime = { 1, 200000 }, .ru_stime = { 2, 30 } };
	const struct record_header *header;
	struct creation creation;
	struct record_segment setup;
	struct reader reader;
	struct stat stat_;
	struct err err;

	if (create_open(&creation, "new.data", &options, &err) || create_started(&creation, &err) ||
	    create_ended(&creation, 0x300, &err) || create_used(&creation, &used, &err))
		bail_out(err.text);
	ok(*creation.path == '/' && stat("new.data", &stat_) == 0 &&
		   (stat_.st_mode & 07777) == 0600 && stat_.st_blocks * 512 >= stat_.st_size,
	   "a recording is ours alone, and has its place on the disk");
	if (reader_open(&reader, creation.path, &err))
		bail_out(err.text);
	header = &reader.header;
	ok(header->end == 2 * RECORD_GRAIN && (off_t)header->end == stat_.st_size &&
		   header->flags == RECORD_BY_CALLER && header->status == 0x300,
	   "its header is filled in");
	ok(header->command_size == 17 && memcmp(header->command, "prog\0an argument", 17) == 0,
	   "with the command");
	ok(header->started.ns && header->ended.ns >= header->started.ns &&
		   header->ended.ticks >= header->started.ticks && header->started_unix_ns,
	   "and when it ran");
	setup = reader_setup(&reader);
	ok(setup.cpu_ns == UINT64_C(3200030000) && setup.system_ns == UINT64_C(2000030000),
	   "CPU time of the command, and its part in the kernel, are in SETUP");
	ok(setup.tick_ns >= 100000 && setup.tick_ns <= 10000000, "so is the kernel's tick");
	check_setup(&reader);
	reader_close(&reader);
	refuses("new.data", "another dwell is recording to 'new.data'");
	create_close(&creation);
	ok(access("new.data.old", F_OK) != 0 && creates("new.data", &err),
	   "a recording that is no longer written is replaced");
	ok(access("new.data.old", F_OK) == 0, "and kept as what it was before");
	ok(creates("new.data", &err), "the next one as well");
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		bail_out("no file can be written here");
}

static void others(void)
{
	struct creation creation;
	struct err err;

	write_file("text", "precious");
	refuses("text", "cannot replace 'text': it is not a dwell recording");
	ok(access("text", F_OK) == 0, "it is not harmed");
	write_file("empty", "");
	ok(creates("empty", &err) && access("empty.old", F_OK) != 0, "an empty file is replaced");
	write_file("empty.old", "");
	ok(creates("empty", &err), "and one that is in the way of the older recording");
	if (!creates("kept.data", &err))
		bail_out(err.text);
	write_file("kept.data.old", "precious");
	refuses("kept.data", "cannot replace 'kept.data.old': it is not a dwell recording");
	ok(access("kept.data", F_OK) == 0, "then it stays where it is");
	if (symlink("new.data", "link") || mkfifo("fifo", 0600))
		bail_out("no link can be made here");
	refuses("link", "is a symbolic link");
	refuses("fifo", "is not a dwell recording");
	refuses("no/such/folder", "cannot create 'no/such/folder'");
	setenv("DWELL_CLOCK", "sundial", 1);
	refuses("other.data", "unknown DWELL_CLOCK value 'sundial'");
	ok(access("other.data", F_OK) != 0, "and then there is none");
	setenv("DWELL_CLOCK", "ns", 1);
	if (create_open(&creation, "ns.data", &options, &err))
		bail_out(err.text);
	ok(creation.clock == RECORD_CLOCK_NS, "DWELL_CLOCK decides");
	create_remove(&creation);
	create_close(&creation);
	ok(access("ns.data", F_OK) != 0, "one that is not wanted is removed");
	unsetenv("DWELL_CLOCK");
}

/* More specs than fit into one grain, and a truncated command. */
static void a_large_one(void)
{
	char name[4200];
	char *const long_command[] = { name, NULL };
	struct create_options large = options;
	struct creation creation;
	struct spec_list many = { 0 };
	struct reader reader;
	struct err err;
	size_t count = 0;

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 10; i++)
		if (spec_list_add(&many, name, &err))
			bail_out(err.text);
	large.chosen = &many;
	large.command = long_command;
	if (create_open(&creation, "large.data", &large, &err) ||
	    reader_open(&reader, "large.data", &err))
		bail_out(err.text);
	for (const struct record_item *item = NULL;
	     (item = reader_next(reader_first(&reader, RECORD_SETUP), item));)
		count++;
	ok(count == 14 && reader.header.end == 4 * RECORD_GRAIN, "specs of several grains");
	ok(reader.header.command_size == 4096 && strlen(reader.header.command) == 4095,
	   "a long command is cut");
	reader_close(&reader);
	create_close(&creation);
	spec_list_free(&many);
}

#define RIVALS 40

enum outcome { REFUSED, WON, WON_IN_VAIN };

/* Creates it in a separate process, and keeps it until all have tried. */
__attribute__((noreturn)) static void try(const char *path, int start)
{
	struct creation creation;
	struct err err = { "" };
	struct stat own, there;
	enum outcome outcome = REFUSED;
	char byte;

	if (create_open(&creation, path, &options, &err)) {
		if (!strstr(err.text, "another dwell is recording"))
			note("%s", err.text);
		_exit(strstr(err.text, "another dwell is recording") ? REFUSED : 100);
	}
	if (read(start, &byte, 1) == 0)
		outcome = fstat(creation.fd, &own) == 0 && stat(path, &there) == 0 &&
					  own.st_ino == there.st_ino
				  ? WON
				  : WON_IN_VAIN;
	_exit(outcome);
}

/* An existing recording, and several processes that try to replace it at once. */
static void rivals(void)
{
	pid_t pids[RIVALS];
	int start[2], won = 0, refused = 0, status;
	struct err err;

	if (!creates("new.data", &err) || pipe(start))
		bail_out("there is nothing to replace");
	for (int i = 0; i < RIVALS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(start[1]);
			try("new.data", start[0]);
		}
	}
	close(start[0]);
	/* All but one end by themselves. */
	for (int i = 0; i < RIVALS - 1; i++)
		if (wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == REFUSED)
			refused++;
	close(start[1]);
	if (wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == WON)
		won++;
	ok(won == 1 && refused == RIVALS - 1,
	   "of %d at once, one has the recording and %d are refused", RIVALS, refused);
}

/* Holds the lock of a recording for 2 ms, in a separate process. */
static pid_t look_at(const char *path)
{
	int ready[2], fd;
	char byte = 0;
	pid_t pid;

	if (pipe(ready))
		bail_out("there is no pipe");
	pid = fork();
	if (pid == 0) {
		fd = open(path, O_RDONLY);
		if (flock(fd, LOCK_EX) || write(ready[1], &byte, 1) != 1)
			_exit(1);
		usleep(2000);
		_exit(0);
	}
	if (read(ready[0], &byte, 1) != 1)
		bail_out("the child has not started");
	close(ready[0]);
	close(ready[1]);
	return pid;
}

/* A dwell that has opened FILE before it became FILE.old holds its lock for an instant. A busy
 * machine may keep it from unlocking in time: one of ten tries is enough. */
static void looked_at(void)
{
	struct creation creation;
	struct err err = { "" };
	bool created = false;
	pid_t pid;

	if (!creates("new.data", &err) || !creates("new.data", &err))
		bail_out(err.text);
	for (int i = 0; i < 10 && !created; i++) {
		pid = look_at("new.data.old");
		created = creates("new.data", &err);
		waitpid(pid, NULL, 0);
	}
	ok(created, "another that looks at the older one is waited for");
	if (create_open(&creation, "new.data.old", &options, &err))
		bail_out(err.text);
	refuses("new.data", "another dwell is recording to 'new.data.old'");
	create_close(&creation);
	unlink("new.data.old.old");
}

/* In a directory too deep for any path. */
static void too_deep(void)
{
	char name[200], start[PATH_MAX], *path;
	int depth = 0;

	memset(name, 'd', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	if (!getcwd(start, sizeof(start)))
		bail_out("there is no folder to come back to");
	while (depth < 2 * PATH_MAX / (int)sizeof(name) && mkdir(name, 0700) == 0 &&
	       chdir(name) == 0)
		depth++;
	path = realpath("new.data", NULL);
	/* An emulator's kernel gives another reason. */
	refuses("new.data", is_emulated() ? "cannot write 'new.data'" : "File name too long");
	ok(!path && access("new.data", F_OK) != 0, "and nothing is left behind");
	while (depth-- > 0)
		if (chdir("..") || rmdir(name))
			bail_out("there is no way back");
	if (chdir(start))
		bail_out("there is no way back");
}

/* The file system has failed while the command ran: here the file cannot be written. */
static void failed_meanwhile(void)
{
	static const char lost[] = "the recording is lost: cannot write '";
	struct rusage used = { 0 };
	struct creation creation;
	struct err err;

	if (create_open(&creation, "new.data", &options, &err))
		bail_out(err.text);
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), creation.fd);
	ok(create_started(&creation, &err) == -EBADF &&
		   strncmp(err.text, "cannot write '", 14) == 0,
	   "a failed write at the start loses nothing");
	ok(create_ended(&creation, 0, &err) == -EBADF &&
		   strncmp(err.text, lost, sizeof(lost) - 1) == 0,
	   "a failed write at the end loses the recording");
	ok(create_used(&creation, &used, &err) == -EBADF &&
		   strncmp(err.text, lost, sizeof(lost) - 1) == 0,
	   "and so is the CPU time");
	create_close(&creation);
}

int main(void)
{
	char folder[] = "/tmp/dwell-create.XXXXXX";
	struct err err;

	if (!mkdtemp(folder) || chdir(folder))
		bail_out("there is no folder to test in");
	if (spec_list_add(&chosen, "libz*:*,mem*", &err) ||
	    spec_list_add(&excluded, "memcpy", &err) ||
	    spec_list_add_objects(&from, "prog", &err) ||
	    label_list_add(&labels, "host=node1", &err) || label_list_add(&labels, "empty=", &err))
		bail_out(err.text);
	of_an_event();
	a_new_one();
	others();
	a_large_one();
	rivals();
	looked_at();
	too_deep();
	failed_meanwhile();
	spec_list_free(&chosen);
	spec_list_free(&excluded);
	spec_list_free(&from);
	label_list_free(&labels);
	for (const char *const *name =
		     (const char *const[]){ "new.data", "large.data", "text", "event", "empty",
					    "link", "fifo", NULL };
	     *name; name++)
		unlink(*name);
	rmdir(folder);
	return tap_done();
}
