/* SPDX-License-Identifier: MIT
 *
 * test_gmon_out.c - the files for gprof: their names, and that the counts are read again unchanged.
 */
#include "runtime/gmon/gmon_out.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/gmon/arcs_private.h"
#include "runtime/gmon/objects.h"
#include "recording/read/gmon.h"
#include "tap.h"

static char folder[] = "/tmp/gmon_out.XXXXXX";

/* Returns a function of libc, which is a library. */
static uintptr_t in_libc(void)
{
	return (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
}

static uint64_t address_of(uintptr_t place)
{
	const struct gmon_object *object = objects_at(place);

	return place - object->start + object->address;
}

static bool read_file(struct gmon *gmon, const char *name)
{
	char path[128];
	struct err err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (gmon_open(gmon, path, &err) == 0)
		return true;
	note("%s", err.text);
	return false;
}

static uint64_t ticks_at(const struct gmon *gmon, uint64_t address)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < gmon->histogram_count; i++) {
		const struct gmon_histogram *h = &gmon->histograms[i];

		if (address >= h->low && address < h->high)
			sum += gmon_count(h, (uint32_t)((address - h->low) / OBJECTS_BIN_BYTES));
	}
	return sum;
}

static bool has_arc(const struct gmon *gmon, uint64_t from, uint64_t self, uint64_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < gmon->arc_count; i++)
		if (gmon->arcs[i].from == from && gmon->arcs[i].self == self)
			sum += gmon->arcs[i].count;
	return sum == count;
}

static void program(void)
{
	uintptr_t here = (uintptr_t)program;
	struct gmon gmon;

	objects_tick(objects_at(here), here, 150000);
	objects_tick(objects_at(here), here + 2, 3);
	arcs_count(here + 4, (uintptr_t)address_of);
	arcs_count(here + 4, (uintptr_t)address_of);
	arcs_count(in_libc(), here);
	arcs_private_next(NULL)->arcs.arcs[1].count = UINT64_C(5000000000);
	ok(gmon_out_write(&(struct gmon_out){ .rate = 100 }) && read_file(&gmon, "gmon.out"),
	   "the program has gmon.out");
	ok(gmon.histogram_count == 3 && gmon.histograms[0].rate == 100 &&
		   ticks_at(&gmon, address_of(here)) == 150000 &&
		   ticks_at(&gmon, address_of(here + 2)) == 3,
	   "more than a counter can count is in further histograms");
	ok(has_arc(&gmon, address_of(here + 4), address_of((uintptr_t)address_of), 2),
	   "calls are by the addresses of the file");
	ok(has_arc(&gmon, objects_at(here)->entry, address_of(here), UINT64_C(5000000000)),
	   "calls from elsewhere have its start as caller, also more than a record can hold");
	gmon_close(&gmon);
	ok(access("gmon.out.libc.so.6", F_OK) != 0,
	   "nothing is written of what nothing is known of");
}

static void library(void)
{
	const char *slash = strrchr(objects_at(in_libc())->path, '/');
	char name[256];
	struct gmon gmon;

	objects_tick(objects_at(in_libc()), in_libc(), 7);
	snprintf(name, sizeof(name), "part.%d%s%s", (int)getpid(), ".", slash + 1);
	ok(gmon_out_write(&(struct gmon_out){ .rate = 1000, .prefix = "part" }) &&
		   read_file(&gmon, name),
	   "a library has a file of its own: %s", name);
	ok(gmon.histogram_count == 1 && ticks_at(&gmon, address_of(in_libc())) == 7 &&
		   gmon.arc_count == 0,
	   "with what is its");
	gmon_close(&gmon);
	snprintf(name, sizeof(name), "gmon.out.%d", (int)getpid());
	ok(gmon_out_write(&(struct gmon_out){ .rate = 1000, .is_child = true }) &&
		   read_file(&gmon, name),
	   "the child of a fork has its number: %s", name);
	gmon_close(&gmon);
}

static void remove_all(void)
{
	DIR *dir = opendir(folder);

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlink(entry->d_name);
	if (dir)
		closedir(dir);
	rmdir(folder);
}

int main(void)
{
	if (!mkdtemp(folder) || chdir(folder) || objects_init())
		bail_out("there is no place for files");
	arcs_start();
	program();
	library();
	ok(!gmon_out_write(&(struct gmon_out){ .rate = 100, .prefix = "/nowhere/at/all" }),
	   "a failed write is reported");
	remove_all();
	return tap_done();
}
