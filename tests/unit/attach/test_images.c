/* SPDX-License-Identifier: MIT
 *
 * test_images.c - files mapped by a process, found again and mapped here.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/images.h"
#include "attach/proc.h"
#include "emulated.h"
#include "tap.h"

struct search {
	uintptr_t address;
	struct proc_map found;
	char path[4096];
};

static int find(void *argument, const struct proc_map *map)
{
	struct search *search = argument;

	if (search->address < map->start || search->address >= map->end)
		return 0;
	search->found = *map;
	snprintf(search->path, sizeof(search->path), "%s", map->path);
	search->found.path = search->path;
	return 1;
}

static bool mapping_of(uintptr_t address, struct search *search)
{
	search->address = address;
	return proc_each_map(getpid(), find, search) == 1;
}

static const struct target_image *get(struct images *images, const struct proc_map *map)
{
	struct images_wanted wanted = { .pid = getpid(),
					.start = map->start,
					.end = map->end,
					.inode = map->inode,
					.path = map->path };

	return images_get(images, &wanted);
}

struct own {
	uintptr_t address, bias;
};

static int find_own(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct own *own = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && own->address >= start &&
		    own->address < start + info->dlpi_phdr[i].p_memsz)
			own->bias = info->dlpi_addr;
	}
	return 0;
}

static void of_code(struct images *images, const char *what, uintptr_t address)
{
	struct own own = { .address = address };
	const struct target_image *image;
	struct search search;
	uintptr_t bias = 1;

	dl_iterate_phdr(find_own, &own);
	if (!mapping_of(address, &search))
		bail_out("our own code is not mapped");
	image = get(images, &search.found);
	ok(image && image->bytes && image->header_count > 2, "%s is found and mapped", what);
	ok(image_bias(image, search.found.start, search.found.offset, &bias) && bias == own.bias,
	   "it is where the dynamic linker has put it: %lx, %lx", bias, own.bias);
	ok(memcmp(image->bytes + search.found.offset + (address - search.found.start),
		  (const void *)address, 32) == 0,
	   "it is the same code");
	ok(get(images, &search.found) == image, "it is opened once");
	ok(!image_bias(image, search.found.start, (uint64_t)1 << 40, &bias),
	   "an address outside the file is not found");
}

static void others(struct images *images)
{
	static const char text[] =
		"\177ELF, but not quite: this is a text that is long enough to be "
		"taken for the head of a file of the kind that we are looking for";
	struct proc_map map = { .start = 0x1000, .end = 0x2000 };
	const struct target_image *vdso, *none;
	char path[] = "/tmp/dwell-test-images-XXXXXX";
	int fd = mkstemp(path);
	struct stat stat;

	map.path = "[vdso]";
	vdso = get(images, &map);
	if (is_emulated())
		skip("the vdso", "the emulator has none of this CPU");
	else
		ok(vdso && vdso->bytes && vdso->id.size, "the vdso has a file too, and a build-id");
	map.path = "[anon]";
	none = get(images, &map);
	ok(none && !none->bytes, "memory of no file has none");
	map.path = "/no/such/file";
	map.inode = 4711;
	none = get(images, &map);
	ok(none && !none->bytes && none != vdso, "nor has a file that is gone");
	if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text) || fstat(fd, &stat))
		bail_out("there is no file to test with");
	map.path = path;
	map.inode = stat.st_ino;
	none = get(images, &map);
	ok(none && !none->bytes, "one that only begins like an ELF file is none");
	map.path = "/proc/self/exe";
	map.inode = stat.st_ino;
	none = get(images, &map);
	ok(none && !none->bytes, "a path that leads to another file now is not followed");
	unlink(path);
	close(fd);
}

int main(void)
{
	struct images images = { 0 };

	of_code(&images, "the program", (uintptr_t)mapping_of);
	of_code(&images, "libc", (uintptr_t)getpid);
	others(&images);
	images_free(&images);
	ok(!images.count, "all are let go of");
	return tap_done();
}
