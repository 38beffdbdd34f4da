/* SPDX-License-Identifier: MIT */
#include "entry/island.h"

#include <errno.h>
#include <sys/mman.h>

#include "sys.h"

#define PAGE       ARCH_ENTRY_PAGE
#define STEP       (UINT64_C(4) << 20) /* between two tries */
#define COPY_ALIGN 16
#define COPY_BYTES (ARCH_GATE_BYTES + ARCH_ENTRY_COPY)

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1
#endif

static size_t round_up(size_t size, size_t to)
{
	return (size + to - 1) / to * to;
}

static uint64_t reserve_at(uint64_t address, size_t size, int flags)
{
	void *at = (void *)SYS6(SYS_mmap, address, size, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

	return sys_failed(at) ? 0 : (uint64_t)(uintptr_t)at;
}

static uint64_t try_at(uint64_t address, size_t size)
{
	uint64_t at = reserve_at(address, size, MAP_FIXED_NOREPLACE);

	if (at && at != address) {
		sys_munmap((void *)(uintptr_t)at, size); /* a kernel that does not know the flag */
		return 0;
	}
	return at;
}

/* Reserves memory where the kernel has some, which is close to other libraries; 0: it is too far.
 */
static uint64_t try_anywhere(const struct island_object *object, uint64_t address, size_t size)
{
	uint64_t at = reserve_at(address, size, 0);
	uint64_t start = at < object->start ? at : object->start;
	uint64_t end = at + size > object->end ? at + size : object->end;

	if (at && end - start >= ARCH_ENTRY_REACH) {
		sys_munmap((void *)(uintptr_t)at, size);
		return 0;
	}
	return at;
}

/* Reserves memory such that every byte of the object is in reach of every byte of it: below the
 * object, away from the heap, or above it. Each try is a system call, which costs two switches of
 * processes where dwell has attached to the program. */
static uint64_t reserve(const struct island_object *object, size_t size)
{
	uint64_t low = object->start & ~(uint64_t)(PAGE - 1), above = round_up(object->end, PAGE);
	uint64_t span = object->end - object->start + size;
	uint64_t found = low > size + PAGE ? try_anywhere(object, low - size, size) : 0;

	for (uint64_t step = size; !found && step + span < ARCH_ENTRY_REACH; step += STEP)
		if (low > step + PAGE)
			found = try_at(low - step, size);
	for (uint64_t step = STEP; !found && step + span < ARCH_ENTRY_REACH; step += STEP)
		found = try_at(above + step, size);
	return found;
}

int island_begin(struct island *island, const struct island_object *object, size_t functions,
		 struct scratch *scratch)
{
	size_t code = round_up(functions * round_up(COPY_BYTES, COPY_ALIGN), PAGE);

	*island = (struct island){ .capacity = functions, .code = PAGE, .code_end = PAGE };
	island->size = PAGE + code + round_up(frames_size(functions), PAGE);
	/* First, or the scratch memory would take what is free near the object. */
	island->start = reserve(object, island->size);
	if (!island->start)
		return -ENOMEM;
	island->bytes = scratch_take(scratch, island->size);
	island->copies = scratch_take(scratch, functions * sizeof(*island->copies));
	if (island->bytes && island->copies)
		return 0;
	island_drop(island);
	return -ENOMEM;
}

bool island_add(struct island *island, const struct survey *survey,
		const struct survey_function *function, uint64_t bias,
		struct island_function *added)
{
	size_t at = round_up(island->code_end, COPY_ALIGN);
	struct frames_copy *copy = &island->copies[island->count];
	uint8_t room[ARCH_ENTRY_ROOM];
	uint64_t place = island->start + at;
	unsigned size;

	if (island->count == island->capacity)
		return false;
	added->gate.signs = function->entry.signs;
	arch_gate_write(&added->gate, island->bytes + at);
	*copy = (struct frames_copy){ .address = place,
				      .copy = added->gate.size,
				      .entry = function->entry,
				      .function = function };
	added->bytes = island->bytes + at;
	added->entry = place + added->gate.entry;
	added->resume = place + added->gate.resume;
	added->copy = place + added->gate.size;
	at += added->gate.size;
	size = arch_entry_copy(&copy->entry, survey_code(survey, function, room),
			       bias + function->address, island->bytes + at, added->copy);
	if (!size)
		return false;
	copy->size = added->gate.size + size;
	island->code_end = at + size;
	island->count++;
	return true;
}

void island_open(struct island_function *added)
{
	arch_gate_write(&added->gate, added->bytes);
}

static Elf64_Phdr segment_of(uint32_t type, uint32_t flags, size_t offset, size_t size)
{
	return (Elf64_Phdr){ .p_type = type,
			     .p_flags = flags,
			     .p_offset = offset,
			     .p_vaddr = offset,
			     .p_paddr = offset,
			     .p_filesz = size,
			     .p_memsz = size,
			     .p_align = PAGE };
}

/* Writes the head, by which stack walkers recognize an object and find its frames. */
static void write_head(struct island *island, size_t frames_bytes)
{
	Elf64_Ehdr *head = (Elf64_Ehdr *)island->bytes;
	Elf64_Phdr *segments = (Elf64_Phdr *)(head + 1);

	*head = (Elf64_Ehdr){ .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = ARCH_ENTRY_MACHINE,
			      .e_version = EV_CURRENT,
			      .e_phoff = sizeof(*head),
			      .e_ehsize = sizeof(*head),
			      .e_phentsize = sizeof(*segments),
			      .e_phnum = 4 };
	segments[0] = segment_of(PT_LOAD, PF_R, 0, island->code);
	segments[1] = segment_of(PT_LOAD, PF_R | PF_X, island->code, island->frames - island->code);
	segments[2] = segment_of(PT_LOAD, PF_R, island->frames, frames_bytes);
	segments[3] = segment_of(PT_GNU_EH_FRAME, PF_R, island->frames, frames_bytes);
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	for (size_t done = 0; done < size;) {
		long written = sys_pwrite(fd, bytes + done, size - done, done);

		if (written <= 0)
			return written ? (int)written : -EIO;
		done += (size_t)written;
	}
	return 0;
}

/* Maps the contents over the reserved memory. */
static int map(struct island *island, int fd)
{
	void *place = (void *)(uintptr_t)island->start;
	int err = write_all(fd, island->bytes, island->size);

	if (!err && sys_failed(sys_mmap_at(place, island->size, PROT_READ, MAP_PRIVATE, fd, 0)))
		err = -EACCES;
	if (!err)
		err = sys_mprotect((char *)place + island->code, island->frames - island->code,
				   PROT_READ | PROT_EXEC);
	return err;
}

int island_finish(struct island *island, const struct survey *survey)
{
	size_t reserved = island->size, frames_bytes;
	int fd, err;

	island->frames = round_up(island->code_end, PAGE);
	frames_bytes =
		frames_write(island->bytes + island->frames, reserved - island->frames,
			     island->start + island->frames, survey, island->copies, island->count);
	island->size = round_up(island->frames + frames_bytes, PAGE);
	write_head(island, frames_bytes);
	fd = frames_bytes ? (int)SYS2(SYS_memfd_create, "dwell-entry", MFD_CLOEXEC) : -ENOSPC;
	err = fd < 0 ? fd : map(island, fd);
	if (fd >= 0)
		sys_close(fd);
	sys_munmap((char *)(uintptr_t)island->start + island->size, reserved - island->size);
	if (err)
		island_drop(island);
	return err;
}

void island_drop(struct island *island)
{
	sys_munmap((void *)(uintptr_t)island->start, island->size);
}
