/* SPDX-License-Identifier: MIT */
#include "attach/rings.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/event.h"
#include "base/vec.h"

#define EVENT_BYTES 65536 /* limit: its size has 16 bits */
#define RING_MIN    ((size_t)64 * 1024)

/* Opens an event of our own that never happens, to whose ring the others are redirected: the ring
 * of a target's thread would report POLLHUP for ever once that thread has ended. */
static int open_owner(int cpu, clockid_t clock, size_t bytes)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(bytes / 4),
		.use_clockid = 1,
		.clockid = clock,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int map_ring(struct ring *ring, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	ring->page = memory;
	ring->data = (const char *)memory + page;
	ring->size = bytes;
	return 0;
}

static void close_ring(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)(ring->data - (char *)ring->page) + ring->size);
	if (ring->fd >= 0)
		close(ring->fd);
	free(ring->scratch);
}

/* Opens a ring. Locked memory is limited, so the size is reduced until it is granted. */
static int open_ring(struct ring *ring, int cpu, clockid_t clock, size_t *bytes)
{
	int status;

	*ring = (struct ring){ .cpu = cpu, .fd = open_owner(cpu, clock, *bytes) };
	if (ring->fd < 0)
		return ring->fd;
	ring->scratch = malloc(EVENT_BYTES);
	status = ring->scratch ? map_ring(ring, *bytes) : -ENOMEM;
	if (!status)
		return 0;
	close_ring(ring);
	if (status != -EPERM || *bytes <= RING_MIN)
		return status;
	*bytes /= 2;
	return open_ring(ring, cpu, clock, bytes);
}

int rings_open(struct rings *rings, clockid_t clock, size_t bytes)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	*rings = (struct rings){ 0 };
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct ring *more = vec_room(rings->rings, rings->count, sizeof(*more));
		int status;

		if (!more)
			return -ENOMEM;
		rings->rings = more;
		status = open_ring(&more[rings->count], cpu, clock, &bytes);
		if (status == -ENODEV) /* the CPU is offline */
			continue;
		if (status)
			return status;
		rings->count++;
	}
	return rings->count ? 0 : -ENODEV;
}

void rings_close(struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++)
		close_ring(&rings->rings[i]);
	free(rings->rings);
	*rings = (struct rings){ 0 };
}

static void release(struct ring *ring)
{
	ring->first = NULL;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

void rings_look(struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		struct ring *ring = &rings->rings[i];

		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	}
}

/* Returns bytes of the ring; copies those that wrap around its end. */
static const void *bytes_at(struct ring *ring, uint64_t at, size_t size)
{
	size_t offset = (size_t)at & (ring->size - 1), before_end = ring->size - offset;

	if (size <= before_end)
		return ring->data + offset;
	memcpy(ring->scratch, ring->data + offset, before_end);
	memcpy(ring->scratch + before_end, ring->data, size - before_end);
	return ring->scratch;
}

/* Drops the contents: without a valid size, the next event cannot be found. */
static void give_up(struct rings *rings, struct ring *ring)
{
	rings->damaged += ring->head - ring->tail;
	ring->tail = ring->head;
	release(ring);
}

/* Sets `first` to the event at the tail, if any. */
static void look_at_first(struct rings *rings, struct ring *ring)
{
	while (!ring->first && ring->head - ring->tail >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *header =
			bytes_at(ring, ring->tail, sizeof(*header));
		size_t size = header->size;

		if (size < sizeof(*header) || size > ring->head - ring->tail) {
			give_up(rings, ring);
			return;
		}
		header = bytes_at(ring, ring->tail, size);
		if (event_time(header, &ring->time)) {
			ring->first = header;
			return;
		}
		rings->damaged += size;
		ring->tail += size;
		release(ring);
	}
}

const struct perf_event_header *rings_next(struct rings *rings, uint64_t until)
{
	struct ring *earliest = NULL;

	if (rings->taken) {
		rings->taken->tail += rings->taken->first->size;
		release(rings->taken);
		rings->taken = NULL;
	}
	for (size_t i = 0; i < rings->count; i++) {
		struct ring *ring = &rings->rings[i];

		look_at_first(rings, ring);
		if (ring->first && ring->time <= until &&
		    (!earliest || ring->time < earliest->time))
			earliest = ring;
	}
	rings->taken = earliest;
	return earliest ? earliest->first : NULL;
}

void rings_wait(const struct rings *rings, int timeout_ms)
{
	struct pollfd *fds = calloc(rings->count, sizeof(*fds));

	for (size_t i = 0; fds && i < rings->count; i++)
		fds[i] = (struct pollfd){ .fd = rings->rings[i].fd, .events = POLLIN };
	poll(fds, fds ? rings->count : 0, timeout_ms);
	free(fds);
}

bool rings_are_filling(const struct rings *rings)
{
	for (size_t i = 0; i < rings->count; i++) {
		const struct ring *ring = &rings->rings[i];

		if (__atomic_load_n(&ring->page->data_head, __ATOMIC_RELAXED) - ring->tail >
		    ring->size / 4)
			return true;
	}
	return false;
}
