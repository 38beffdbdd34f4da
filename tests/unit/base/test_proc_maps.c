/* SPDX-License-Identifier: MIT
 *
 * test_proc_maps.c - reads /proc/self/maps of memory that the test has mapped itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../apart.h"
#include "base/proc_maps.h"
#include "emulated.h"
#include "tap.h"

static char in_data, buffer[512], name[256];

static bool is_stack(const struct proc_map *entry)
{
	return strcmp(entry->path, "[stack]") == 0;
}

/* Which mapping an address is in. */
static bool find(const void *address, struct proc_map *found)
{
	static char found_name[sizeof(name)];
	struct proc_map entry;
	struct proc_maps maps = { buffer, sizeof(buffer), name, sizeof(name) };
	bool any = false;

	if (proc_maps_open(&maps, PROC_MAPS_SELF))
		return false;
	while (proc_maps_next(&maps, &entry))
		if ((uintptr_t)address >= entry.start && (uintptr_t)address < entry.end) {
			*found = entry;
			found->path = strcpy(found_name, name);
			any = true;
		}
	proc_maps_close(&maps);
	return any;
}

static void all_of_them(void)
{
	struct proc_map entry;
	uintptr_t before = 0;
	struct proc_maps maps = { buffer, sizeof(buffer), name, sizeof(name) };
	int count = 0, stacks = 0;
	bool in_order = true;

	/* Many more lines than fit into the buffer. */
	for (int i = 0; i < 500; i++) {
		char *more = mmap(NULL, 2 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		mprotect(more, 4096, PROT_NONE);
	}
	if (!ok(proc_maps_open(&maps, PROC_MAPS_SELF) == 0,
		"the mappings of the process can be read"))
		return;
	while (proc_maps_next(&maps, &entry)) {
		in_order = entry.start >= before && entry.end > entry.start && in_order;
		before = entry.end;
		stacks += is_stack(&entry);
		count++;
	}
	ok(!proc_maps_next(&maps, &entry), "there is an end to them");
	proc_maps_close(&maps);
	ok(in_order && count > 500, "they come in order, all of them");
	ok(stacks == 1, "one of them is the first thread's stack");
	ok(fcntl(maps.fd, F_GETFD) < 0, "the file is closed");
}

static void what_is_where(void)
{
	char *page = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct proc_map entry;

	ok(find(__builtin_frame_address(0), &entry) && is_stack(&entry) && !entry.is_executable,
	   "a variable is on the stack");
	ok(find(page, &entry) && entry.start <= (uintptr_t)page &&
		   entry.end >= (uintptr_t)page + 3 * 4096 && !is_stack(&entry) && !entry.inode,
	   "anonymous memory is neither a stack nor a file");
	ok(find(&in_data, &entry) && !is_stack(&entry), "nor are variables in memory");
	ok(find((const void *)what_is_where, &entry) && entry.is_executable && entry.inode,
	   "code can be executed, and is in a file");
	ok(find((const void *)strtoul, &entry) && strstr(entry.path, "libc"),
	   "that of libc is in a file of that name");
}

/* Two pages of a file, from the second on. */
static void check_file(const char *path, const char *called)
{
	struct proc_map entry;
	struct stat status;
	char *page;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, 3 * 4096) || fstat(fd, &status))
		bail_out("there is no file to test with");
	page = mmap(NULL, 2 * 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 4096);
	ok(find(page + 4096, &entry) && !is_stack(&entry) && entry.start == (uintptr_t)page &&
		   entry.end == (uintptr_t)page + 2 * 4096,
	   "a file that is called '%s' is not a stack", called);
	ok(entry.offset == 4096 && entry.inode == status.st_ino && entry.is_executable,
	   "it is known by place and inode");
	if (is_emulated() && strcmp(entry.path, "[heap]") == 0)
		skip("its name", "the emulator calls so what begins where its heap may");
	else
		ok(strcmp(entry.path, path) == 0, "and by name");
	munmap(page, 2 * 4096);
	close(fd);
	unlink(path);
}

/* A file may be called what it likes. */
static void odd_names(void)
{
	static const char *const names[] = { "[stack]", " [stack]", "[stack]x", "[[stack]",
					     "a  b" };
	char folder[] = "/tmp/dwell-unit.XXXXXX", path[64];

	if (!mkdtemp(folder))
		bail_out("there is no folder to test in");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		check_file(path, names[i]);
	}
	rmdir(folder);
}

static void long_names(void)
{
	char bytes[16], *small = bytes;
	struct proc_maps maps = { buffer, sizeof(buffer), small, 8 };
	struct proc_map entry;
	bool short_enough = true;
	int count = 0;

	memset(bytes, '#', sizeof(bytes));
	if (proc_maps_open(&maps, PROC_MAPS_SELF))
		bail_out("the mappings of the process cannot be read");
	for (; proc_maps_next(&maps, &entry); count++)
		short_enough = memchr(small, '\0', 8) && short_enough;
	proc_maps_close(&maps);
	for (size_t i = 8; i < sizeof(bytes); i++)
		short_enough = bytes[i] == '#' && short_enough;
	ok(short_enough && count > 5, "names are cut where there is no room for them");
}

int main(void)
{
	apart("all of them", all_of_them);
	what_is_where();
	odd_names();
	long_names();
	return tap_done();
}
