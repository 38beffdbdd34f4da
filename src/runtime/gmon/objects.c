/* SPDX-License-Identifier: MIT */
#include "objects.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "arcs.h"
#include "base/proc_maps.h"
#include "sys.h"

/* Address space only; unused entries cost nothing. */
#define OBJECTS_MAX  4096
#define HEADERS_MAX  64
#define DYNAMICS_MAX 128
#define MAPS_BUFFER  4096

/* State of a look, used by the holder of the flag: too large for a signal handler's stack. */
struct look {
	char buffer[MAPS_BUFFER];
	char name[PATH_MAX];
	uint64_t head_inode;  /* the file whose head was seen last, */
	uintptr_t head_start; /* and its address */
	ElfW(Phdr) headers[HEADERS_MAX];
	ElfW(Dyn) dynamics[DYNAMICS_MAX];
	bool is_seen[OBJECTS_MAX];
};

static struct {
	struct gmon_object *list; /* OBJECTS_MAX; complete up to `count` */
	uint32_t count;           /* atomic; grows */
	struct look *look;
	uint32_t is_looking; /* atomic; 0 or 1 */
	uintptr_t program;   /* an address in the program */
	uint64_t page;       /* bytes */
} objects;

int objects_init(void)
{
	if (objects.list)
		return 0;
	objects.look = sys_memory(sizeof(*objects.look));
	objects.list = sys_memory(OBJECTS_MAX * sizeof(*objects.list));
	if (!objects.look || !objects.list) {
		objects.list = NULL;
		return -ENOMEM;
	}
	objects.program = getauxval(AT_ENTRY);
	objects.page = getauxval(AT_PAGESZ);
	objects_look();
	return 0;
}

static uint32_t count_now(void)
{
	return __atomic_load_n(&objects.count, __ATOMIC_ACQUIRE);
}

struct gmon_object *objects_next(const struct gmon_object *object)
{
	struct gmon_object *next =
		object ? objects.list + (object - objects.list) + 1 : objects.list;

	return next < objects.list + count_now() ? next : NULL;
}

struct gmon_object *objects_at(uintptr_t address)
{
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (address >= object->start && address < object->end &&
		    !__atomic_load_n(&object->gone, __ATOMIC_RELAXED))
			return object;
	return NULL;
}

struct gmon_object *objects_then(uintptr_t address, uint32_t epoch)
{
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (address >= object->start && address < object->end && object->born <= epoch &&
		    (!object->gone || object->gone > epoch))
			return object;
	return NULL;
}

/* ---- headers of the file ---- */

/* Reads memory that may be unmapped. Containers forbid process_vm_readv(), and emulators lack it.
 */
static int read_memory(uintptr_t address, void *to, size_t size)
{
	int err = sys_read_memory(address, to, size), fd;

	if (err != -ENOSYS && err != -EPERM)
		return err;
	fd = sys_open("/proc/self/mem", O_RDONLY);
	if (fd < 0)
		return fd;
	err = sys_pread(fd, to, size, address) == (long)size ? 0 : -EFAULT;
	sys_close(fd);
	return err;
}

/* Returns the number of program headers of the file whose head is mapped there. */
static size_t read_headers(struct look *look, uintptr_t head)
{
	ElfW(Ehdr) elf;

	if (read_memory(head, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_phnum > HEADERS_MAX || elf.e_phentsize != sizeof(ElfW(Phdr)) ||
	    read_memory(head + elf.e_phoff, look->headers, elf.e_phnum * sizeof(ElfW(Phdr))))
		return 0;
	return elf.e_phnum;
}

static const ElfW(Phdr) * header_of(const struct look *look, size_t count, uint32_t type)
{
	for (size_t i = 0; i < count; i++)
		if (look->headers[i].p_type == type)
			return &look->headers[i];
	return NULL;
}

static uint64_t dynamic_value(const struct look *look, size_t count, int64_t tag)
{
	for (size_t i = 0; i < count && look->dynamics[i].d_tag != DT_NULL; i++)
		if (look->dynamics[i].d_tag == tag)
			return look->dynamics[i].d_un.d_ptr;
	return 0;
}

/* Returns the first function of DT_INIT_ARRAY, whose words are relocated; 0: none in this piece. */
static uint64_t read_first_init(const struct gmon_object *object, uintptr_t bias, uint64_t array)
{
	uintptr_t function;

	if (!array || read_memory(bias + array, &function, sizeof(function)) ||
	    function < object->start || function >= object->end)
		return 0;
	return function - bias;
}

/* Returns DT_INIT, which files for newer CPUs lack, or the first of DT_INIT_ARRAY; a static program
 * has neither. */
static uint64_t read_entry(struct look *look, const struct gmon_object *object,
			   const ElfW(Phdr) * header)
{
	size_t count = header ? header->p_memsz / sizeof(ElfW(Dyn)) : 0;
	uintptr_t bias = object->start - object->address;
	uint64_t init;

	if (count > DYNAMICS_MAX)
		count = DYNAMICS_MAX;
	if (!count ||
	    read_memory(bias + header->p_vaddr, look->dynamics, count * sizeof(ElfW(Dyn))))
		return 0;
	init = dynamic_value(look, count, DT_INIT);
	return init ? init
		    : read_first_init(object, bias, dynamic_value(look, count, DT_INIT_ARRAY));
}

/* Sets the address that the mapped piece has in the file. */
static void describe(struct look *look, struct gmon_object *object, uint64_t offset)
{
	size_t count = look->head_inode == object->inode ? read_headers(look, look->head_start) : 0;

	object->address = offset;
	for (size_t i = 0; i < count; i++) {
		const ElfW(Phdr) *header = &look->headers[i];

		if (header->p_type == PT_LOAD && header->p_flags & PF_X &&
		    offset >= (header->p_offset & ~(objects.page - 1)) &&
		    offset < header->p_offset + header->p_filesz)
			object->address = header->p_vaddr + offset - header->p_offset;
	}
	object->entry = read_entry(look, object, header_of(look, count, PT_DYNAMIC));
	/* A static program, or one without a better entry: use its beginning. */
	if (!object->entry)
		object->entry = object->is_program
					? objects.program - object->start + object->address
					: object->address;
}

/* ---- mappings ---- */

static bool is_same(const struct gmon_object *object, const struct proc_map *entry)
{
	return object->start == entry->start && object->end == entry->end &&
	       object->inode == entry->inode && strcmp(object->path, entry->path) == 0;
}

/* Returns the first object that is the same piece of the same file, perhaps at another address. */
static struct gmon_object *first_like(struct gmon_object *object)
{
	for (struct gmon_object *other = NULL; (other = objects_next(other));)
		if (other->inode == object->inode && other->address == object->address &&
		    other->end - other->start == object->end - object->start &&
		    strcmp(other->path, object->path) == 0)
			return other->first;
	return object;
}

static void add(struct look *look, const struct proc_map *entry)
{
	uint32_t count = count_now();
	struct gmon_object *object = &objects.list[count];

	if (count == OBJECTS_MAX)
		return;
	object->start = entry->start;
	object->end = entry->end;
	object->inode = entry->inode;
	object->born = __atomic_load_n(&arcs_epoch, __ATOMIC_RELAXED);
	object->is_program = objects.program >= entry->start && objects.program < entry->end;
	memcpy(object->path, entry->path, strlen(entry->path) + 1);
	describe(look, object, entry->offset);
	object->first = first_like(object);
	__atomic_store_n(&objects.count, count + 1, __ATOMIC_RELEASE);
}

static struct gmon_object *find_same(const struct proc_map *entry)
{
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (!object->gone && is_same(object, entry))
			return object;
	return NULL;
}

static bool see_again(struct look *look, const struct proc_map *entry)
{
	struct gmon_object *object = entry->is_executable ? find_same(entry) : NULL;

	if (object)
		look->is_seen[object - objects.list] = true;
	return false;
}

static bool see_new(struct look *look, const struct proc_map *entry)
{
	if (entry->offset == 0) {
		look->head_inode = entry->inode;
		look->head_start = entry->start;
	}
	if (!entry->is_executable || find_same(entry))
		return false;
	add(look, entry);
	return true;
}

/* Marks objects that are unmapped as gone, in an epoch that ends with that. */
static void end_gone(const struct look *look)
{
	uint32_t epoch = __atomic_load_n(&arcs_epoch, __ATOMIC_RELAXED) + 1;
	bool some = false;

	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (!object->gone && !look->is_seen[object - objects.list]) {
			__atomic_store_n(&object->gone, epoch, __ATOMIC_RELAXED);
			some = true;
		}
	if (!some)
		return;
	__atomic_store_n(&arcs_epoch, epoch, __ATOMIC_RELEASE);
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (object->gone == epoch)
			arcs_forget(object->start, object->end);
}

/* Calls a function for each line. True: one of them was new. */
static bool read_maps(struct look *look, bool (*take)(struct look *, const struct proc_map *))
{
	struct proc_maps maps = { .buffer = look->buffer,
				  .size = sizeof(look->buffer),
				  .path = look->name,
				  .path_size = sizeof(look->name) };
	struct proc_map entry;
	bool is_new = false;

	if (proc_maps_open(&maps, PROC_MAPS_SELF))
		return false;
	while (proc_maps_next(&maps, &entry))
		if (entry.inode && take(look, &entry))
			is_new = true;
	proc_maps_close(&maps);
	return is_new;
}

/* Handles unmapped objects first, so that their successors belong to the epoch after them. */
static bool look_under_flag(void)
{
	memset(objects.look->is_seen, 0, count_now());
	read_maps(objects.look, see_again);
	end_gone(objects.look);
	return read_maps(objects.look, see_new);
}

bool objects_look(void)
{
	bool is_new;

	if (!objects.list || __atomic_exchange_n(&objects.is_looking, 1, __ATOMIC_ACQUIRE))
		return false;
	is_new = look_under_flag();
	__atomic_store_n(&objects.is_looking, 0, __ATOMIC_RELEASE);
	return is_new;
}

/*
 * Waits for the flag: another thread may hold it, even in a handler; this thread cannot, since
 * signals are blocked.
 */
void objects_look_now(void)
{
	const sys_sigset every = ~(sys_sigset)0;
	sys_sigset mask;

	if (!objects.list)
		return;
	sys_sigprocmask(SIG_BLOCK, &every, &mask);
	while (__atomic_exchange_n(&objects.is_looking, 1, __ATOMIC_ACQUIRE))
		sys_sched_yield();
	look_under_flag();
	__atomic_store_n(&objects.is_looking, 0, __ATOMIC_RELEASE);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* ---- ticks ---- */

static uint32_t *bins_of(struct gmon_object *first)
{
	uint32_t *bins = __atomic_load_n(&first->bins, __ATOMIC_ACQUIRE), *none = NULL;
	size_t size = objects_bins(first) * sizeof(*bins);

	if (bins)
		return bins;
	bins = sys_memory(size);
	if (bins && !__atomic_compare_exchange_n(&first->bins, &none, bins, false, __ATOMIC_RELEASE,
						 __ATOMIC_ACQUIRE)) {
		sys_munmap(bins, size);
		bins = none;
	}
	return bins;
}

bool objects_tick(struct gmon_object *object, uintptr_t address, uint64_t weight)
{
	uint32_t *bins = bins_of(object->first);

	if (!bins)
		return false;
	__atomic_fetch_add(&bins[(address - object->start) / OBJECTS_BIN_BYTES], (uint32_t)weight,
			   __ATOMIC_RELAXED);
	__atomic_fetch_add(&object->first->times, (uint32_t)weight, __ATOMIC_RELAXED);
	return true;
}

void objects_forget_counts(void)
{
	for (struct gmon_object *object = NULL; (object = objects_next(object));) {
		object->times = 0;
		if (object->bins)
			sys_madvise(object->bins, objects_bins(object) * sizeof(*object->bins),
				    MADV_DONTNEED);
	}
	__atomic_store_n(&objects.is_looking, 0, __ATOMIC_RELEASE);
}
