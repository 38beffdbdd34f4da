/* SPDX-License-Identifier: MIT
 *
 * test_objects.c - mapped code, its addresses in its file, and its ticks.
 */
#include "runtime/gmon/objects.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/gmon/arcs.h"
#include "sys.h"
#include "tap.h"

/* Returns the linker's bias. */
static int bias_of(struct dl_phdr_info *info, size_t size, void *argument)
{
	uintptr_t *wanted = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + header->p_vaddr;

		if (header->p_type == PT_LOAD && *wanted >= start &&
		    *wanted < start + header->p_memsz) {
			*wanted = info->dlpi_addr;
			return 1;
		}
	}
	return 0;
}

static bool is_right(uintptr_t address, const char *name)
{
	struct gmon_object *object = objects_at(address);
	uintptr_t bias = address;

	return object && dl_iterate_phdr(bias_of, &bias) &&
	       address - object->start + object->address == address - bias &&
	       strstr(object->path, name) && object->first == object &&
	       (object->entry || !object->address); /* without DT_INIT, it is its beginning */
}

static uintptr_t dynamic_value(int64_t tag)
{
	for (const ElfW(Dyn) *dynamic = _DYNAMIC; dynamic->d_tag != DT_NULL; dynamic++)
		if (dynamic->d_tag == tag)
			return dynamic->d_un.d_ptr;
	return 0;
}

/* Returns DT_INIT of this program, or the first of DT_INIT_ARRAY on CPUs younger than that. */
static uintptr_t init_of_program(void)
{
	uintptr_t bias = (uintptr_t)init_of_program;

	if (dynamic_value(DT_INIT) || !dl_iterate_phdr(bias_of, &bias))
		return dynamic_value(DT_INIT);
	return *(const uintptr_t *)(bias + dynamic_value(DT_INIT_ARRAY)) - bias;
}

/* A container without process_vm_readv(). */
static bool forbid_reading(long nr, const long arguments[6], long *result)
{
	(void)arguments;
	*result = -EPERM;
	return nr == SYS_process_vm_readv;
}

/* Runs in a child: objects are looked at once. */
static void check_forbidden(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		sys_filter = forbid_reading;
		_exit(objects_init() ||
		      objects_at((uintptr_t)init_of_program)->entry != init_of_program());
	}
	waitpid(child, &status, 0);
	ok(status == 0, "headers are read where process_vm_readv() is forbidden");
}

int main(void)
{
	struct gmon_object *own, *other;
	void *library;

	check_forbidden();
	ok(objects_init() == 0, "mappings are read");
	own = objects_at((uintptr_t)main);
	ok(own && own->is_program && is_right((uintptr_t)main, "test_gmon_objects"), "the program");
	ok(is_right((uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"), "libc"), "libc");
	ok(!objects_at((uintptr_t)&library), "the stack is not code");
	if (!own)
		bail_out("there is nothing to count in");

	ok(objects_tick(own, (uintptr_t)main, 3) && objects_tick(own, (uintptr_t)main, 4) &&
		   own->bins[((uintptr_t)main - own->start) / OBJECTS_BIN_BYTES] == 7 &&
		   own->times == 7,
	   "ticks");
	objects_forget_counts();
	ok(own->times == 0 && own->bins[((uintptr_t)main - own->start) / OBJECTS_BIN_BYTES] == 0,
	   "are forgotten in the child of a fork");

	/* No program needs this one, nor does the runtime of a sanitizer. */
	library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
	if (!library) {
		skip("a library that comes and goes", "there is no libBrokenLocale");
		return tap_done();
	}
	ok(objects_look() && !objects_look(), "a new library is seen, once");
	other = NULL;
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (strstr(object->path, "libBrokenLocale"))
			other = object;
	dlclose(library);
	objects_look_now();
	ok(other && other->gone && other->gone == arcs_epoch && !objects_at(other->start) &&
		   objects_then(other->start, other->gone - 1) == other &&
		   !objects_then(other->start, other->gone),
	   "it was there in its epoch, and is there no more");
	library = dlopen("libBrokenLocale.so.1", RTLD_NOW);
	objects_look_now();
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (strstr(object->path, "libBrokenLocale") && object != other)
			ok(object->first == other, "again, it has the counters that it had");
	return tap_done();
}
