/* SPDX-License-Identifier: MIT */
#include "room.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/atomic64.h"
#include "base/limits.h"
#include "sys.h"

#define ITEM_ALIGNMENT 64
#define SEGMENT_MAX    (1 << 20)
#define REPLACED_MAX   3    /* times that a recording may be replaced while it is opened */
#define PATIENCE_MAX   4096 /* requests refused without asking, where there was no space */
#define RESERVE_BYTES  (2 << 20)
#define DESCRIPTOR_TOP 8    /* below a low limit: how far down our descriptor may be */
#define PAGE_LEAST     4096 /* bytes; the kernel may use larger pages */
#define PAGE_MOST      65536

static struct {
	const char *path;
	struct record_header *header;
	bool is_apart; /* its path may lead nowhere */
	bool is_held;
	bool is_torn;   /* a page of it was lost: room_mend() */
	int descriptor; /* if it is held; checked before it is used */
	dev_t device;
	ino_t inode;
	uint32_t sandbox; /* enum record_sandbox: how the process has restricted itself */
} recording;

/* Space mapped in advance, before mapping became impossible. The child of a fork takes from the
 * same space.
 */
static struct {
	char *start; /* NULL: none */
	uint64_t offset;
	uint64_t *taken; /* atomic; bytes */
} reserve;

static bool is_recording(int fd)
{
	struct sys_stat status;

	return sys_fstat(fd, &status) == 0 && status.st_dev == recording.device &&
	       status.st_ino == recording.inode;
}

/* Opens the path. The program may have changed to a root where it means something else. */
static int open_by_path(void)
{
	int fd = sys_open(recording.path, O_RDWR | O_NOFOLLOW);

	if (fd >= 0 && !is_recording(fd)) {
		sys_close(fd);
		return -ESTALE;
	}
	return fd;
}

/* Returns our descriptor. The program may have closed it, and its number may belong to another file
 * now. */
static int descriptor(bool *keep)
{
	*keep = recording.is_held && is_recording(recording.descriptor);
	return *keep ? recording.descriptor : open_by_path();
}

static int dup_above(int fd, uint64_t least)
{
	return (int)SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
}

/* Duplicates to a high number. Under a low limit, few programs use all the descriptors they may
 * have. */
static int dup_high(int fd)
{
	struct sys_rlimit limit;
	int high = dup_above(fd, LIMIT_DESCRIPTOR_MIN);

	if (high >= 0 || sys_getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur < DESCRIPTOR_TOP)
		return high;
	return dup_above(fd, limit.rlim_cur - DESCRIPTOR_TOP);
}

int room_hold(void)
{
	bool keep;
	int fd = recording.header ? descriptor(&keep) : -ENOENT;

	recording.is_apart = true;
	if (fd < 0 || keep)
		return fd;
	recording.descriptor = dup_high(fd);
	recording.is_held = recording.descriptor >= 0;
	sys_close(fd);
	return recording.descriptor;
}

/* Opens the recording. A tool may have replaced it while our open() waited: see finish.h. Then we
 * have the old file, which has no name any more. */
static int open_named(const char *path, struct sys_stat *status)
{
	for (int i = 0;; i++) {
		int fd = sys_open(path, O_RDWR | O_NOFOLLOW);

		if (fd < 0 || sys_fstat(fd, status) || status->st_nlink || i == REPLACED_MAX)
			return fd;
		sys_close(fd);
	}
}

bool room_is_apart(void)
{
	return recording.header && recording.is_apart;
}

int room_reach(void)
{
	int fd = open_by_path();

	if (fd < 0)
		return fd;
	sys_close(fd);
	return 0;
}

static int map_header(int fd, const struct sys_stat *status, const char *path)
{
	struct record_header *header;

	if (status->st_size < (int64_t)offsetof(struct record_header, command))
		return -ENODATA;
	header = sys_mmap_shared(RECORD_GRAIN, fd, 0);
	if (sys_failed(header))
		return -ENOMEM;
	recording.path = path;
	recording.device = status->st_dev;
	recording.inode = status->st_ino;
	recording.header = header;
	return 0;
}

int room_attach(const char *path)
{
	struct sys_stat status;
	int fd = open_named(path, &status), err;

	if (fd < 0)
		return fd;
	err = map_header(fd, &status, path);
	sys_close(fd);
	return err;
}

int room_attach_to(int fd)
{
	struct sys_stat status;
	int err = sys_fstat(fd, &status);

	if (!err)
		err = map_header(fd, &status, "");
	if (err)
		return err;
	recording.descriptor = dup_high(fd);
	recording.is_held = recording.is_apart = true;
	return recording.descriptor < 0 ? recording.descriptor : 0;
}

void room_detach(void)
{
	if (recording.is_held && is_recording(recording.descriptor))
		sys_close(recording.descriptor);
	recording.path = NULL;
	recording.header = NULL;
	recording.is_apart = recording.is_held = recording.is_torn = false;
	recording.sandbox = 0;
	reserve.start = NULL;
}

struct record_header *room_header(void)
{
	return recording.header;
}

/* Replaces fallocate() on filesystems without it. */
static int write_zeroes(int fd, uint64_t offset, size_t size)
{
	static const char zeroes[4096];

	for (size_t done = 0; done < size; done += sizeof(zeroes))
		if (sys_pwrite(fd, zeroes, sizeof(zeroes), offset + done) != sizeof(zeroes))
			return -ENOSPC;
	return 0;
}

/* Checks the limit: the kernel kills a process by a signal if it writes a file beyond that. */
static bool is_allowed(uint64_t end)
{
	struct sys_rlimit limit;

	return sys_getrlimit(RLIMIT_FSIZE, &limit) == 0 && end <= limit.rlim_cur;
}

/* Gives back space that could not be allocated, unless space behind it was taken meanwhile. */
static void give_back(uint64_t offset, size_t size)
{
	atomic64_change(&recording.header->end, offset + size, offset);
}

/* Claims the space before it writes zeroes there. */
static int claim_and_fill(int fd, size_t size, uint64_t *offset)
{
	int err;

	*offset = atomic64_add(&recording.header->end, size);
	err = is_allowed(*offset + size) ? write_zeroes(fd, *offset, size) : -EFBIG;
	if (err)
		give_back(*offset, size);
	return err;
}

/* Allocates space, then claims it: if a full disk refuses several writers at once, the recording
 * must not appear to contain their space. Two may allocate the same space; the second to claim it
 * then tries again behind it. */
static int claim(int fd, size_t size, uint64_t *offset)
{
	uint64_t *end = &recording.header->end;
	int err;

	do {
		*offset = atomic64_get(end);
		err = is_allowed(*offset + size) ? sys_fallocate(fd, *offset, size) : -EFBIG;
	} while (!err && !atomic64_change(end, *offset, *offset + size));
	return err == -EOPNOTSUPP || err == -ENOSYS ? claim_and_fill(fd, size, offset) : err;
}

/* Stores the reason; the first one is kept. */
static void keep_code(uint32_t *code, int err)
{
	uint32_t none = 0;

	__atomic_compare_exchange_n(code, &none, (uint32_t)-err, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
}

void room_sandboxed(uint32_t kind)
{
	recording.sandbox |= kind;
}

void room_lost_in_sandbox(uint32_t what)
{
	if (recording.header && recording.sandbox)
		__atomic_fetch_or(&recording.header->unreached.sandbox, recording.sandbox | what,
				  __ATOMIC_RELAXED);
}

static void *no_segment(int err)
{
	if (err == -ESRCH) /* its root is the directory in /proc of a process that has ended */
		room_sandboxed(RECORD_SANDBOX_ROOT);
	if (recording.sandbox && err != -ENOSPC && err != -EDQUOT)
		room_lost_in_sandbox(RECORD_SANDBOX_ROOM);
	else
		keep_code(&recording.header->scarcity.code, err);
	return NULL;
}

void room_lost_process(uint32_t pid)
{
	struct record_scarcity *scarcity = &recording.header->scarcity;

	if (__atomic_exchange_n(&scarcity->pid, pid, __ATOMIC_RELAXED) != pid)
		atomic64_add(&scarcity->processes, 1);
}

void room_lost_program(int err)
{
	keep_code(&recording.header->unreached.code, err);
	atomic64_add(&recording.header->unreached.programs, 1);
}

void room_found_program(void)
{
	atomic64_add(&recording.header->unreached.programs, UINT64_MAX);
}

static void *map_at(void *place, size_t size, int fd, uint64_t offset)
{
	return place ? sys_mmap_at(place, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset)
		     : sys_mmap_shared(size, fd, offset);
}

/* Maps a part of the file at place, or anywhere if place is NULL. NULL: failed, see *err. */
static void *map_part(void *place, size_t size, uint64_t *offset, int *err)
{
	bool keep;
	int fd = recording.is_torn ? -ENODATA : descriptor(&keep);
	void *part = NULL;

	*err = fd < 0 ? fd : claim(fd, size, offset);
	if (!*err)
		part = map_at(place, size, fd, *offset);
	if (fd >= 0 && !keep)
		sys_close(fd);
	if (!*err && sys_failed(part))
		*err = -ENOMEM;
	return *err ? NULL : part;
}

int room_reserve(void)
{
	uint64_t *taken;
	int err;

	if (!recording.header || reserve.start)
		return 0;
	taken = sys_mmap(sizeof(*taken), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	if (sys_failed(taken))
		return -ENOMEM;
	reserve.taken = taken;
	reserve.start = map_part(NULL, RESERVE_BYTES, &reserve.offset, &err);
	return err;
}

static void *take_reserved(size_t size, uint64_t *offset)
{
	uint64_t at;

	if (!reserve.start || atomic64_get(reserve.taken) + size > RESERVE_BYTES)
		return NULL;
	at = atomic64_add(reserve.taken, size);
	if (at + size > RESERVE_BYTES)
		return NULL;
	*offset = reserve.offset + at;
	return reserve.start + at;
}

static void *new_segment(void *place, uint32_t kind, uint64_t owner, size_t size, uint64_t *offset)
{
	struct record_segment *segment;
	int err;

	segment = map_part(place, size, offset, &err);
	if (!segment && !recording.is_torn)
		segment = take_reserved(size, offset);
	if (!segment)
		return no_segment(err);
	segment->kind = kind;
	segment->size = size;
	segment->owner = owner ? owner : *offset;
	__atomic_store_n(&segment->mark, RECORD_SEGMENT_MARK, __ATOMIC_RELEASE);
	return segment + 1;
}

void *room_segment(uint32_t kind, uint64_t owner, size_t size, uint64_t *offset)
{
	return new_segment(NULL, kind, owner, size, offset);
}

void *room_segment_at(uint32_t kind, uint64_t offset)
{
	struct record_segment *segment = NULL;
	bool keep;
	int fd;

	if (offset % RECORD_GRAIN || offset >= atomic64_get(&recording.header->end))
		return NULL;
	fd = descriptor(&keep);
	if (fd >= 0)
		segment = sys_mmap_shared(RECORD_GRAIN, fd, offset);
	if (fd >= 0 && !keep)
		sys_close(fd);
	if (!segment || sys_failed(segment) ||
	    __atomic_load_n(&segment->mark, __ATOMIC_ACQUIRE) != RECORD_SEGMENT_MARK ||
	    segment->kind != kind)
		return NULL;
	return segment + 1;
}

void *room_segment_over(void *old, uint32_t kind, uint64_t owner, uint64_t *offset)
{
	return new_segment(old ? (struct record_segment *)old - 1 : NULL, kind, owner, RECORD_GRAIN,
			   offset);
}

/* Backs off. The disk may have space again later; a caller with a million requests per second need
 * not notice at once. */
static bool lose_patience(struct room *room)
{
	if (room->patience < PATIENCE_MAX)
		room->patience = (uint16_t)(2 * room->patience + 1);
	room->unasked = room->patience;
	return false;
}

bool room_denies(struct room *room, size_t size)
{
	if (!room->unasked || (size_t)(room->end - room->next) >= size + ITEM_ALIGNMENT)
		return false;
	room->unasked--;
	return true;
}

static bool grow(struct room *room, size_t size)
{
	uint32_t least = RECORD_GRAIN;
	uint64_t offset;
	char *start;

	while (least < size + ITEM_ALIGNMENT)
		least *= 2;
	if (room->grain < least)
		room->grain = least;
	start = room_segment(room->kind, room->owner, room->grain, &offset);
	if (!start && reserve.start && room->grain > least) {
		room->grain = least;
		start = room_segment(room->kind, room->owner, room->grain, &offset);
	}
	if (!start)
		return lose_patience(room);
	room->patience = room->unasked = 0;
	room->start = start - sizeof(struct record_segment);
	room->end = room->start + room->grain;
	room->next = start;
	/* Two of each size: then at most a third of the allocated space is unused. */
	room->is_second = !room->is_second;
	if (!room->is_second && room->grain < SEGMENT_MAX)
		room->grain *= 2;
	return true;
}

uint32_t room_fitting(const struct room *room, size_t head, size_t piece, uint32_t wanted,
		      uint32_t least)
{
	size_t left = (size_t)(room->end - room->next);
	size_t fitting = left > head ? (left - head) / piece : 0;

	return fitting >= least && fitting < wanted ? (uint32_t)fitting : wanted;
}

/* Takes space. Every item begins where a head or another item ends, so alignment follows from their
 * sizes. */
void *room_take(struct room *room, size_t size)
{
	struct record_item *item;

	size = (size + ITEM_ALIGNMENT - 1) / ITEM_ALIGNMENT * ITEM_ALIGNMENT;
	if ((size_t)(room->end - room->next) < size && !grow(room, size))
		return NULL;
	item = (struct record_item *)room->next;
	item->size = (uint32_t)size;
	room->next += size;
	return item;
}

static bool map_zeroes(const void *address, uintptr_t page)
{
	void *start = (void *)((uintptr_t)address & ~(page - 1));

	return !sys_failed(sys_mmap_at(start, page, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

bool room_mend(const void *address)
{
	uintptr_t page = PAGE_LEAST;

	while (page <= PAGE_MOST && !map_zeroes(address, page))
		page *= 2;
	if (page > PAGE_MOST)
		return false;
	recording.is_torn = true;
	if (recording.header)
		keep_code(&recording.header->scarcity.code, -ENODATA);
	return true;
}

void room_publish(struct record_item *item, uint32_t kind)
{
	__atomic_store_n(&item->kind, kind, __ATOMIC_RELEASE);
}
