/* SPDX-License-Identifier: MIT
 *
 * calls_backtrace.c - prints which of its own functions, and of the library's, are on the stack, by
 * three unwinders: the frames are the same as without a profiler, whatever it has put between them.
 * And what libc says is at the address of a function.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

#include "calls_frames.h"
#include "calls_lib.h"
#include "calls_target.h"

int main(int argc, char **argv);
static long outer(long x), middle(long x), inner(long x);

static int (*walk)(void **frames, int size);

/* Returns the name of a function that is known here, else NULL. */
static const char *known_name(void *pc)
{
	static const struct {
		const char *name;
		uintptr_t function;
	} known[] = {
		{ "main", (uintptr_t)main },   { "run_scenario", (uintptr_t)run_scenario },
		{ "outer", (uintptr_t)outer }, { "middle", (uintptr_t)middle },
		{ "inner", (uintptr_t)inner },
	};
	Dl_info info;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (frame_is_of(pc, known[i].function))
			return known[i].name;
	}
	if (dladdr((char *)pc - 1, &info) && info.dli_sname &&
	    strncmp(info.dli_sname, "lib_", 4) == 0)
		return info.dli_sname;
	return NULL;
}

static void print_stack(void)
{
	void *frames[128];
	int depth = walk(frames, 128);

	for (int i = 0; i < depth; i++) {
		const char *name = known_name(frames[i]);

		if (name)
			printf(" %s", name);
	}
	printf("\n");
}

static NOINLINE long inner(long x)
{
	if (x > 0)
		return lib_between(inner, x - 1);
	print_stack();
	return x;
}

static NOINLINE long middle(long x)
{
	return lib_between(inner, x) + lib_add(1, 1);
}

static NOINLINE long outer(long x)
{
	return lib_call(middle, x) + lib_add(1, 1);
}

static void print_stacks(int (*by)(void **, int))
{
	long sum = 0;

	walk = by;
	sum += lib_call(outer, 0);
	sum += lib_call(outer, 5);
	printf("sum %ld\n", sum);
	expect("lib_call calls=4");
	expect("lib_between calls=7");
	expect("lib_add calls=4");
}

struct trace {
	void **frames;
	int count, size;
};

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *data)
{
	struct trace *trace = data;

	if (trace->count < trace->size)
		trace->frames[trace->count++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static int by_unwinder(void **frames, int size)
{
	struct trace trace = { frames, 0, size };

	_Unwind_Backtrace(take_frame, &trace);
	return trace.count;
}

static void with_backtrace(void)
{
	print_stacks(backtrace);
}

static void with_unwinder(void)
{
	print_stacks(by_unwinder);
}

/* Another implementation, which reads the tables in its own way. */
static void with_libunwind(void)
{
	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
	int (*unw_backtrace)(void **, int);

	if (!library)
		skip_scenario("libunwind.so.8 is not installed");
	*(void **)&unw_backtrace = dlsym(library, "unw_backtrace");
	if (!unw_backtrace)
		skip_scenario("libunwind.so.8 has no unw_backtrace()");
	print_stacks(unw_backtrace);
}

static void *in_thread(void *unused)
{
	print_stacks(backtrace);
	return unused;
}

static void in_a_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void print_address(const char *what, void *address)
{
	Dl_info info = { 0 };
	struct link_map *map = NULL;

	printf("%s:", what);
	if (dladdr(address, &info))
		printf(" %s %s", base_name(info.dli_fname), info.dli_sname ? info.dli_sname : "-");
	printf(" %s", info.dli_saddr == address ? "begins there" : "begins elsewhere");
	if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) && map)
		printf(" %s", base_name(map->l_name));
	printf("\n");
}

static void print_object(const char *what, void *address)
{
#ifdef DLFO_EH_SEGMENT_TYPE
	struct dl_find_object object;

	if (_dl_find_object(address, &object) == 0)
		printf("%s: %s\n", what, base_name(object.dlfo_link_map->l_name));
#else
	(void)what;
	(void)address;
#endif
}

/* Prints a symbol without its address, which differs from run to run. */
static void print_symbol(char *text)
{
	text = (char *)base_name(text);
	text[strcspn(text, " [\n")] = '\0';
	printf("%s\n", text);
}

/* Prints what libc reports about addresses of functions, which a profiler may have replaced. */
static void addresses(void)
{
	void *functions[] = { (void *)lib_add, (void *)lib_call, (void *)printf,
			      dlsym(RTLD_DEFAULT, "lib_between"), (char *)lib_add + 1 };
	const int count = sizeof(functions) / sizeof(functions[0]);
	char **symbols = backtrace_symbols(functions, count);
	char line[256];
	FILE *file = tmpfile();

	print_address("lib_add", functions[0]);
	print_address("lib_call", functions[1]);
	print_address("printf", functions[2]);
	print_address("lib_between", functions[3]);
	print_address("system", (void *)system);
	print_address("execve", dlsym(RTLD_DEFAULT, "execve"));
	print_address("lib_add + 1", functions[4]);
	print_address("main", (void *)main);
	print_object("lib_add", functions[0]);
	print_object("printf", functions[2]);
	print_object("system", (void *)system);
	print_object("execve", dlsym(RTLD_DEFAULT, "execve"));
	print_address("nothing", NULL);
	for (int i = 0; symbols && i < count; i++)
		print_symbol(symbols[i]);
	free(symbols);
	if (!file)
		fail("tmpfile");
	backtrace_symbols_fd(functions, count, fileno(file));
	rewind(file);
	while (fgets(line, sizeof(line), file))
		print_symbol(line);
	fclose(file);
	printf("%d\n", lib_add(1, 2));
	expect("lib_add calls=1");
}

#define ROOM 64

static NOINLINE long print_frames(long size)
{
	void *frames[ROOM + 1];
	int depth;
	Dl_info info;

	frames[size] = frames;
	depth = backtrace(frames, (int)size);
	printf("%d frames:", depth);
	for (int i = 0; i < depth; i++)
		if (dladdr((char *)frames[i] - 1, &info))
			printf(" %s", base_name(info.dli_fname));
	printf("%s\n", frames[size] == frames ? "" : ", and more than there is room for");
	return size;
}

static NOINLINE long between(long size)
{
	return lib_between(print_frames, size) + 1;
}

/* Asks for every frame, and for as many as there is room for. */
static void all_frames(void)
{
	static const long rooms[] = { 0, 1, 2, 3, 4, 5, 6, 7, ROOM };
	const int count = sizeof(rooms) / sizeof(rooms[0]);
	long sum = 0;

	for (int i = 0; i < count; i++)
		sum += lib_call(between, rooms[i]);
	printf("sum %ld\n", sum);
	expect("lib_call calls=%d", count);
	expect("lib_between calls=%d", count);
}

static const struct scenario scenarios[] = {
	{ "with_backtrace", with_backtrace }, { "with_unwinder", with_unwinder },
	{ "with_libunwind", with_libunwind }, { "in_a_thread", in_a_thread },
	{ "addresses", addresses },           { "all_frames", all_frames },
};

MAIN_OF(scenarios)
