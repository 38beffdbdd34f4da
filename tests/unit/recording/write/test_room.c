/* SPDX-License-Identifier: MIT
 *
 * test_room.c - space in the recording: where it is, when others see it, and what happens without
 * space, or after the program has closed our descriptor.
 */
#include <inttypes.h>
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "../../apart.h"
#include "recording/write/room.h"
#include "../../runtime/calls/wrapped.h"

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static void end(void)
{
	unlink(wrapped.path);
}

static off_t size_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? -1 : status.st_size;
}

/* Returns the numbers of open descriptors. */
static int open_descriptors(void)
{
	int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/* Returns the one of the recording, beside the test's own; -1: none. */
static int own_descriptor(void)
{
	struct stat ours, other;

	fstat(wrapped.fd, &ours);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != wrapped.fd && fstat(fd, &other) == 0 && other.st_ino == ours.st_ino &&
		    other.st_dev == ours.st_dev)
			return fd;
	return -1;
}

static void attaching(void)
{
	char link[80];

	ok(room_attach("/no/such/file") == -ENOENT && !room_header(), "a missing file is refused");
	wrapped_create(7, RECORD_CLOCK_NS);
	snprintf(link, sizeof(link), "%s.link", wrapped.path);
	if (symlink(wrapped.path, link))
		bail_out("there is no link to test with");
	ok(room_attach(link) == -ELOOP, "so is a link, which may lead to another user's file");
	unlink(link);
	ok(room_attach(wrapped.path) == 0 && room_header() && room_header()->flags == 7 &&
		   !memcmp(room_header()->magic, RECORD_MAGIC, 8),
	   "a recording is mapped");
	ok(own_descriptor() < 0, "no descriptor stays open, where a program might see it");
	end();
}

/* A process without privileges cannot open it again. */
static void holding(void)
{
	uint64_t offset;
	int held;

	ok(room_hold() < 0 && !room_is_apart(), "there is nothing to hold");
	begin();
	ok(own_descriptor() < 0, "before there is a recording, none is held");
	ok(room_reach() == 0, "its path leads to it");
	held = room_hold();
	ok(room_is_apart(), "it is known that this may change");
	ok(held == own_descriptor() && held >= 100 && fcntl(held, F_GETFD) == FD_CLOEXEC,
	   "one that is held is out of the program's way, and closed on exec");
	room_hold();
	close(held);
	ok(own_descriptor() < 0, "there is but one");
	room_hold();
	ok(own_descriptor() == held, "and if the program closes it, another");
	unlink(wrapped.path);
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL,
	   "then there is space without a path");
	ok(room_reach() == -ENOENT, "by which others cannot open it");
	close(open(wrapped.path, O_CREAT | O_RDWR, 0600));
	ok(room_reach() == -ESTALE, "nor where another file has its path");
	end();
}

static void held_below_a_limit(void)
{
	struct rlimit limit, few = { 64, 0 };
	int held;

	getrlimit(RLIMIT_NOFILE, &limit);
	few.rlim_max = limit.rlim_max;
	begin();
	setrlimit(RLIMIT_NOFILE, &few);
	held = room_hold();
	ok(held >= 56 && held < 64 && fcntl(held, F_GETFD) == FD_CLOEXEC,
	   "where only 64 descriptors are allowed, one of the last is held");
	setrlimit(RLIMIT_NOFILE, &limit);
	close(held);
	end();
}

static void programs(void)
{
	begin();
	room_lost_program(-EACCES);
	room_lost_program(-ENOENT);
	room_lost_program(-ENOENT);
	room_found_program();
	ok(room_header()->unreached.programs == 2 && room_header()->unreached.code == EACCES,
	   "programs that cannot open it are counted, with the first reason");
	end();
}

static void segments(void)
{
	const struct record_segment *head;
	uint64_t first, second;
	char *start, *next;
	bool zero = true;

	begin();
	start = room_segment(RECORD_PROCESS, 0, RECORD_GRAIN, &first);
	if (!ok(start != NULL, "a segment is made"))
		return;
	head = (struct record_segment *)start - 1;
	ok(first == 2 * RECORD_GRAIN && room_header()->end == 3 * RECORD_GRAIN,
	   "where the recording ended, which it now does behind it");
	ok(size_of(wrapped.fd) >= 3 * RECORD_GRAIN, "the file is as large");
	ok(head->mark == RECORD_SEGMENT_MARK && head->kind == RECORD_PROCESS &&
		   head->size == RECORD_GRAIN,
	   "it is marked, and says what it is and how large");
	ok(head->owner == first, "without an owner it is its own");
	for (size_t i = 0; i < RECORD_GRAIN - sizeof(*head); i++)
		zero = zero && !start[i];
	ok(zero, "it is empty");
	next = room_segment(RECORD_NAMES, first, 4 * RECORD_GRAIN, &second);
	head = (struct record_segment *)next - 1;
	ok(next && second == 3 * RECORD_GRAIN && head->owner == first &&
		   head->size == 4 * RECORD_GRAIN,
	   "the next one follows, with its owner");
	end();
}

static void items(void)
{
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	bool aligned = true, unseen = true, zero = true, apart_from_others = true;
	char *before_end = NULL;

	begin();
	for (size_t size = 8; size < 3000; size += 8) {
		char *bytes = room_take(&room, size);
		struct record_item *item = (struct record_item *)bytes;

		if (!bytes)
			bail_out("there is no space");
		aligned = (uintptr_t)bytes % 64 == 0 && item->size % 64 == 0 &&
			  item->size >= size && aligned;
		unseen = item->kind == 0 && unseen;
		for (size_t i = sizeof(*item); i < item->size; i++)
			zero = zero && !bytes[i];
		apart_from_others = (bytes >= before_end || bytes + item->size <= before_end) &&
				    apart_from_others;
		memset(bytes + sizeof(*item), 1, item->size - sizeof(*item));
		before_end = bytes + item->size;
		room_publish(item, RECORD_CALLS);
		unseen = item->kind == RECORD_CALLS && unseen;
	}
	ok(aligned, "items begin at multiples of 64, and are as long");
	ok(zero && apart_from_others, "they are empty, and no other's");
	ok(unseen, "they are not to be seen until they are published");
	end();
}

/* Walks the recording as a tool does. */
static void growth(void)
{
	struct room room = { .kind = RECORD_COUNTS, .owner = 77 };
	const struct record_segment *segment = NULL;
	unsigned written = 0, read = 0, segments_read = 0;
	bool right = true, larger = true;
	uint64_t size_before = 0;
	size_t size;
	const char *bytes;

	begin();
	for (; written < 20000; written++) {
		struct record_calls *calls = room_take(&room, 400);

		if (!calls)
			bail_out("there is no space");
		calls->calls = written;
		room_publish(&calls->item, RECORD_CALLS);
	}
	bytes = recording_map(&size);
	segment = recording_next(bytes, size, NULL); /* that of the specs */
	while ((segment = recording_next(bytes, size, segment))) {
		right = segment->kind == RECORD_COUNTS && segment->owner == 77 &&
			segment->size % RECORD_GRAIN == 0 && right;
		larger = segment->size >= size_before && segment->size <= 1 << 20 && larger;
		size_before = segment->size;
		segments_read++;
		for (const struct record_item *item = NULL; (item = item_next(segment, item));)
			right = ((const struct record_calls *)item)->calls == read++ && right;
	}
	ok(right && read == written, "a reader finds all items in order");
	ok(larger && segments_read < 20, "segments become larger, up to a megabyte");
	ok(room_header()->end == size, "and end where the file does");
	end();
}

static void large_items(void)
{
	struct room room = { .kind = RECORD_NAMES, .owner = 77 };
	char *large, *small;

	begin();
	small = room_take(&room, 100);
	large = room_take(&room, 300000);
	ok(small && large && ((struct record_item *)large)->size >= 300000,
	   "an item that is larger than a segment has a segment as large");
	memset(large + 8, 1, 300000 - 8);
	ok(room_take(&room, 100) != NULL && ((struct record_item *)small)->size == 128,
	   "and others follow");
	end();
}

/* Daemons close descriptors they have not opened. */
static void closed_descriptor(void)
{
	uint64_t offset;
	int before;

	begin();
	before = open_descriptors();
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) && open_descriptors() == before,
	   "the file is opened when there is need, and closed again");
	room_hold();
	close(own_descriptor());
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL,
	   "where the program has closed our descriptor the file is opened again");
	ok(open_descriptors() == before, "and not left open");
	end();
}

static void foreign_descriptor(void)
{
	static const char text[] = "something of the program's own";
	int other = memfd_create("other", MFD_CLOEXEC), number;
	char back[sizeof(text)] = "";
	uint64_t offset;

	begin();
	room_hold();
	number = own_descriptor();
	if (other < 0 || write(other, text, sizeof(text)) != sizeof(text) ||
	    dup2(other, number) != number)
		bail_out("there is no other file to test with");
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL,
	   "where its number is another file's now we find our own");
	ok(size_of(other) == sizeof(text) && pread(other, back, sizeof(back), 0) == sizeof(text) &&
		   !strcmp(back, text),
	   "the other one is not touched");
	ok(size_of(number) == sizeof(text), "nor is its descriptor");
	end();
}

/* Both ways are lost: by number, and by name. */
static void nowhere_to_go(void)
{
	uint64_t offset, before;
	int other;

	begin();
	before = room_header()->end;
	room_hold();
	close(own_descriptor());
	unlink(wrapped.path);
	ok(!room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset),
	   "without a file there is no space");
	other = open(wrapped.path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ok(!room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) && size_of(other) == 0,
	   "another file of that name is not taken for it");
	ok(room_header()->end == before, "and the recording ends where it did");
	end();
}

static void no_descriptors(void)
{
	struct rlimit limit;
	uint64_t offset;

	begin();
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(!room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset),
	   "without descriptors there is no space");
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(room_header()->scarcity.code == EMFILE, "and the header says why");
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL,
	   "until there are some again");
	end();
}

/* The kernel kills a process that writes a file beyond its limit, unless the signal is ignored. */
static void limited(void)
{
	struct room room = { .kind = RECORD_NAMES, .owner = 77 };
	uint64_t offset, before;
	bool none = true;

	begin();
	limit_size(3 * RECORD_GRAIN);
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL,
	   "a file may be as large as the program's limit");
	before = room_header()->end;
	for (int i = 0; i < 100; i++)
		none = !room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) &&
		       !room_take(&room, 100) && none;
	ok(none, "then there is no space, and no signal");
	ok(room_header()->end - before <= 16 * RECORD_GRAIN,
	   "the recording does not seem to grow by what it does not get");
	ok(room_header()->scarcity.code == EFBIG, "and the header says why");
	note("it ends %" PRIu64 " bytes further", room_header()->end - before);
	limit_size(RLIM_INFINITY);
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) && room_take(&room, 100),
	   "until the limit is lifted");
	end();
}

/* Mounts a private filesystem. Returns false without root. */
static bool mount_here(const char *kind, const char *options)
{
	return unshare(CLONE_NEWNS) == 0 && mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount(kind, "/tmp", kind, 0, options) == 0;
}

static void full_disk(void)
{
	bool none = true;
	int made = 0;
	uint64_t offset, before;

	if (!mount_here("tmpfs", "size=256k")) {
		skip("a full disk", "it takes root to make one");
		return;
	}
	begin();
	while (made < 100 && room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset))
		made++;
	ok(made == 256 * 1024 / RECORD_GRAIN - 2, "a disk is filled");
	before = room_header()->end;
	for (int i = 0; i < 100; i++)
		none = !room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) && none;
	ok(none, "then there is no space, and no signal");
	ok(room_header()->end - before <= 16 * RECORD_GRAIN,
	   "the recording does not seem to grow by what it does not get");
	ok(room_header()->scarcity.code == ENOSPC && room_header()->scarcity.processes == 0,
	   "and the header says why");
	for (uint32_t pid = 1; pid <= 3; pid++) {
		room_lost_process(pid);
		room_lost_process(pid);
	}
	ok(room_header()->scarcity.processes == 3,
	   "processes that have none are counted, each once");
	end();
}

/* Several processes that get nothing at the same time: none of them may leave a gap behind which
 * another has got nothing either. */
static void full_disk_at_once(void)
{
	enum { CHILDREN = 4, TRIES = 2000 };
	pid_t children[CHILDREN];
	uint64_t offset;

	if (!mount_here("tmpfs", "size=256k")) {
		skip("a full disk, for several at once", "it takes root to make one");
		return;
	}
	begin();
	while (room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset))
		;
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = apart_fork();
		if (children[i] == 0) {
			for (int n = 0; n < TRIES; n++)
				room_segment(RECORD_NAMES, 0, (1 + n % 3) * RECORD_GRAIN, &offset);
			_exit(0);
		}
	}
	for (int i = 0; i < CHILDREN; i++)
		apart_wait(children[i]);
	ok(room_header()->end == 256 * 1024 && size_of(wrapped.fd) == 256 * 1024,
	   "where several get no space at once, the recording ends where the file does");
	note("it ends at %" PRIu64 ", the file at %" PRIu64, room_header()->end,
	     (uint64_t)size_of(wrapped.fd));
	end();
}

/* A caller that asks for space at each call of a function must be refused quickly. */
static void patience(void)
{
	struct room room = { .kind = RECORD_NAMES, .owner = 77 };
	unsigned asked = 0, turns = 0;

	begin();
	ok(!room_denies(&room, 100), "a first request is not denied");
	limit_size(room_header()->end);
	for (; turns < 1000000; turns++)
		if (!room_denies(&room, 100)) {
			asked++;
			room_take(&room, 100);
		}
	ok(asked > 100 && asked < 1000, "without space, few of a million requests are worth it");
	note("%u of %u", asked, turns);
	limit_size(RLIM_INFINITY);
	for (turns = 0; room_denies(&room, 100); turns++)
		;
	ok(turns < 10000 && room_take(&room, 100), "but some are: there may be space again");
	ok(!room_denies(&room, 100) && !room_denies(&room, 1 << 20), "and then all of them are");
	end();
}

static void simple_filesystem(void)
{
	struct room room = { .kind = RECORD_NAMES, .owner = 77 };
	char *item;

	if (!mount_here("ramfs", "")) {
		skip("a filesystem without fallocate()", "it takes root to mount one");
		return;
	}
	begin();
	item = room_take(&room, 100000);
	ok(item != NULL, "there is space where the filesystem allocates none beforehand");
	if (item)
		memset(item + 8, 1, 100000 - 8);
	ok(size_of(wrapped.fd) == (off_t)room_header()->end, "and the file is as large");
	end();
}

/* Processes that make segments at the same time. */
static void many_at_once(void)
{
	enum { CHILDREN = 4, SEGMENTS = 200 };
	pid_t children[CHILDREN];
	unsigned count[CHILDREN] = { 0 };
	bool right = true;
	size_t size;
	const char *bytes;

	begin();
	for (uint64_t i = 0; i < CHILDREN; i++) {
		children[i] = apart_fork();
		if (children[i] == 0) {
			uint64_t offset;
			int failed = 0;

			for (int n = 0; n < SEGMENTS; n++)
				failed += !room_segment(RECORD_NAMES, 1000 + i, RECORD_GRAIN,
							&offset);
			_exit(failed ? 1 : 0);
		}
	}
	for (int i = 0; i < CHILDREN; i++)
		right = apart_wait(children[i]) == 0 && right;
	bytes = recording_map(&size);
	for (const struct record_segment *segment = recording_next(bytes, size, NULL);
	     (segment = recording_next(bytes, size, segment));)
		if (segment->owner >= 1000 && segment->owner < 1000 + CHILDREN)
			count[segment->owner - 1000]++;
	for (int i = 0; i < CHILDREN; i++)
		right = count[i] == SEGMENTS && right;
	ok(right, "several processes make segments at once, and none is lost");
	end();
}

int main(void)
{
	apart("attaching", attaching);
	apart("holding", holding);
	apart("holding below a limit", held_below_a_limit);
	apart("programs", programs);
	apart("segments", segments);
	apart("items", items);
	apart("growth", growth);
	apart("large items", large_items);
	apart("closed descriptor", closed_descriptor);
	apart("foreign descriptor", foreign_descriptor);
	apart("nowhere to go", nowhere_to_go);
	apart("no descriptors", no_descriptors);
	apart("limited", limited);
	apart("full disk", full_disk);
	apart("full disk, at once", full_disk_at_once);
	apart("patience", patience);
	apart("simple filesystem", simple_filesystem);
	apart("many at once", many_at_once);
	return tap_done();
}
