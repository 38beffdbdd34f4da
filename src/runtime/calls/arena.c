/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <elf.h>
#include <errno.h>
#include <link.h>

#include "state.h"

#define PIECE       ARENA_FILE_SLOTS
#define PIECE_BYTES ((size_t)PIECE * SLOT_BYTES)

/* The ELF header of this library, defined by the linker. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* Returns the offset of an address of this library in its file. */
static uint64_t offset_of(const void *place)
{
	const char *base = (const char *)&__ehdr_start;
	const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);
	uintptr_t address = (uintptr_t)place - (uintptr_t)base;

	for (unsigned i = 0; i < __ehdr_start.e_phnum; i++)
		if (headers[i].p_type == PT_LOAD &&
		    address - headers[i].p_vaddr < headers[i].p_filesz)
			return headers[i].p_offset + (address - headers[i].p_vaddr);
	return 0;
}

bool arena_map_again(const void *code, void *place, size_t bytes)
{
	int fd = calls_state.library ? sys_open(calls_state.library, O_RDONLY) : -1;
	void *mapped;

	if (fd < 0)
		return false;
	mapped = sys_mmap_at(place, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset_of(code));
	sys_close(fd);
	return !sys_failed(mapped);
}

/*
 * Reserves the arena. musl's linker maps a segment that is never written entirely from the file,
 * past its end; glibc's has memory there already.
 */
int arena_reserve(void)
{
	void *slots = sys_mmap_at(calls_slots, ARENA_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);

	return sys_failed(slots) ? -ENOMEM : 0;
}

/* Makes another piece of stubs and slots usable. Called with the lock held. */
static bool grow(void)
{
	if (calls_state.arena_ready + PIECE > ARENA_SLOTS)
		return false;
	if (calls_state.arena_ready &&
	    !arena_map_again(arch_stubs, arch_stubs + (size_t)calls_state.arena_ready * SLOT_BYTES,
			     PIECE_BYTES))
		return false;
	if (sys_mprotect(&calls_slots[calls_state.arena_ready], PIECE_BYTES,
			 PROT_READ | PROT_WRITE))
		return false;
	calls_state.arena_ready += PIECE;
	return true;
}

/* Returns the number of its first slot, or -1. */
static int64_t allocate(uint32_t count)
{
	sys_sigset mask = state_lock();
	int64_t first = calls_state.arena_used;

	while (calls_state.arena_ready < first + count && first >= 0)
		if (!grow())
			first = -1;
	if (first >= 0)
		calls_state.arena_used += count;
	state_unlock(mask);
	return first;
}

/* Returns whether C must count: the assembly reads the CPU's counter, and counts each time once. */
static bool needs_c(void)
{
	return calls_state.clock != RECORD_CLOCK_TICKS || calls_state.flags & RECORD_SAMPLE_TIMING;
}

static void (*way_out(void))(void)
{
	return needs_c() ? arch_exit_whole : arch_exit_timed;
}

void (*arena_way_out(const struct slot *slot))(void)
{
	const struct calls_thread *thread = slot->owner;

	for (unsigned i = 1; i < thread->chunk_count; i++)
		if (thread->chunks[i].first == slot)
			return arch_exit_whole;
	return way_out();
}

/* Sets the way out of each slot. From the first one of another chunk than the thread's first it
 * leads back to the chunk below, which only C does. */
static void set_ways_out(const struct chunk *chunk, unsigned number)
{
	for (struct slot *slot = chunk->first; slot < chunk->limit; slot++)
		slot->exit = way_out();
	if (number)
		chunk->first->exit = arch_exit_whole;
}

void arena_set_ways_out(void)
{
	for (const struct calls_thread *thread = calls_state.threads; thread; thread = thread->next)
		for (unsigned i = 0; i < thread->chunk_count; i++)
			set_ways_out(&thread->chunks[i], i);
}

bool arena_chunk(struct calls_thread *thread, struct chunk *chunk, unsigned number)
{
	uint32_t count = arena_chunk_begin(number + 1) - arena_chunk_begin(number);
	int64_t first = allocate(count);

	if (first < 0)
		return false;
	for (struct slot *slot = &calls_slots[first]; slot < &calls_slots[first + count]; slot++) {
		slot->sp = (uintptr_t)SP_NOBODY;
		slot->owner = thread;
	}
	chunk->first = &calls_slots[first + 1];
	chunk->limit = &calls_slots[first + count];
	set_ways_out(chunk, number);
	return true;
}
