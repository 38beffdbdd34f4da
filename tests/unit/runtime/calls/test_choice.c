/* SPDX-License-Identifier: MIT
 *
 * test_choice.c - the functions chosen by the recording; and functions that can only be counted,
 * whatever it contains.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "../../apart.h"
#include "../../recording.h"
#include "runtime/calls/choice.h"

static char path[64];
static int fd;

/*
 * Loads the recording as a file with a name: choice_load() does not follow links such as those of
 * /proc.
 */
static int load(const struct recording *recording)
{
	int status;

	strcpy(path, "/tmp/dwell-unit.XXXXXX");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0 || write(fd, recording->bytes, recording->size) != (ssize_t)recording->size)
		bail_out("there is no file to record in");
	status = choice_load(path);
	unlink(path);
	return status;
}

/* Loads specs; each is "+", "-" or "<" for its role and then its text. */
static int load_specs(const char *const *specs, size_t count)
{
	struct recording recording = recording_new(0);

	for (size_t i = 0; i < count; i++)
		recording_spec(&recording,
			       specs[i][0] == '+'   ? RECORD_CHOOSE
			       : specs[i][0] == '-' ? RECORD_EXCLUDE
						    : RECORD_FROM,
			       specs[i] + 1, 0);
	return load(&recording);
}

#define LOAD(...)                                                                                  \
	load_specs((const char *const[]){ __VA_ARGS__ },                                           \
		   sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *))

/* Returns whether the recording marks spec number n as matched. */
static bool is_matched(size_t n)
{
	static char setup[RECORD_GRAIN];
	char *at = setup + sizeof(struct record_segment);

	if (pread(fd, setup, sizeof(setup), RECORD_GRAIN) != sizeof(setup))
		bail_out("the recording is gone");
	while (n--)
		at += ((struct record_item *)at)->size;
	return ((struct record_spec *)at)->matched;
}

static bool has(const char *soname, const char *symbol)
{
	return choice_has(&(struct spec_subject){
		.soname = soname, .path = "/usr/lib/a-path", .symbol = symbol });
}

static bool has_caller(const char *soname, const char *caller)
{
	return choice_has_caller(&(struct spec_subject){ .soname = soname, .path = caller });
}

static bool counts_only(const char *soname, const char *symbol)
{
	return choice_counts_only(&(struct spec_subject){
		.soname = soname, .path = "/usr/lib/a-path", .symbol = symbol });
}

static void chosen(void)
{
	ok(LOAD("+libz.so.1:deflate*", "+crc32", "+*:never") == 0, "specs are read");
	ok(has("libz.so.1", "deflateInit") && has("libz.so.1", "deflate"),
	   "a function that a spec names is chosen");
	ok(!has("libz.so.1", "inflate") && !has("libx.so", "deflate"), "others are not");
	ok(is_matched(0) && !is_matched(1), "the recording says which spec has matched");
	ok(has("libanything.so", "crc32") && is_matched(1), "an object need not be named");
	ok(!is_matched(2), "a spec without a match is not marked");
}

static void excluded(void)
{
	LOAD("+libz.so.1:*", "-*Init*", "-libx.so:*");
	ok(has("libz.so.1", "deflate") && !has("libz.so.1", "deflateInit"),
	   "an excluded function is not chosen");
	ok(is_matched(0) && is_matched(1) && !is_matched(2),
	   "an exclusion has matched when it has excluded something");
}

static void callers(void)
{
	LOAD("+*", "<prog", "</opt/*/lib*.so");
	ok(has_caller("", "/usr/bin/prog") && !has_caller("", "/usr/bin/other"),
	   "only the objects that are named are callers");
	ok(has_caller("libthing.so.1", "/opt/some/libthing.so") &&
		   !has_caller("libthing.so.1", "/usr/lib/libthing.so"),
	   "by soname, name or path");
	ok(is_matched(1) && is_matched(2), "the recording says which have matched");
}

static void any_caller(void)
{
	LOAD("+*");
	ok(has_caller("", "/usr/bin/prog") && has_caller("libx.so", "/lib/libx.so"),
	   "where none is named, all are callers");
	ok(has("libz.so.1", "deflate") && has("libz.so.1", "_ZN5Shape4areaEv"),
	   "and a star chooses all");
}

static void readable_names(void)
{
	LOAD("+Shape::area", "+std::vector<int, std::allocator<int> >::push_back(int const&)",
	     "+*::draw*", "+mycrate::example", "-*(double)");
	ok(has("libshapes.so", "_ZN5Shape4areaEv") && is_matched(0),
	   "C++ functions are chosen by their names, without parameters");
	ok(has("libshapes.so", "_ZNSt6vectorIiSaIiEE9push_backERKi") && is_matched(1),
	   "or with them");
	ok(has("libshapes.so", "_ZN5Shape4drawEi") && !has("libshapes.so", "_ZN5Shape5eraseEi"),
	   "or by a part");
	ok(!has("libshapes.so", "_ZN5Shape4drawEd") && is_matched(4), "and excluded by them");
#ifdef CHOICE_WITHOUT_RUST
	skip("and those of Rust", "libiberty is missing");
#else
	ok(has("libmycrate.so", "_RNvCskwGfYPst2Cb_7mycrate7example") && is_matched(3),
	   "and those of Rust");
#endif
	ok(!has("libshapes.so", "_ZN5Shape4area") && !has("libshapes.so", "_Z") &&
		   !has("libshapes.so", "_R") && !has("libshapes.so", "_"),
	   "an invalid mangled name does not match");
}

static void raw_names(void)
{
	LOAD("+_ZN5Shape4areaEv");
	ok(has("libshapes.so", "_ZN5Shape4areaEv"), "or as they are in the symbol table");
}

/* A name that is too long to be read is still a symbol. */
static void long_names(void)
{
	static char name[100000];

	strcpy(name, "_Z99999");
	memset(name + 7, 'x', sizeof(name) - 8);
	LOAD("+x*", "+_Z9*");
	ok(has("libshapes.so", name) && !is_matched(0) && is_matched(1),
	   "the name of a function may be as long as it likes");
}

static void refused(void)
{
	struct recording recording = recording_new(0);
	char link[80];

	ok(choice_load("/no/such/file") == -ENOENT, "a recording that is not there is refused");
	load(&recording);
	snprintf(link, sizeof(link), "%s.link", path);
	if (symlink(path, link))
		bail_out("there is no link to test with");
	ok(choice_load(link) == -ELOOP, "so is a link");
	unlink(link);
	((struct record_segment *)(recording.bytes + RECORD_GRAIN))->kind = RECORD_PROCESS;
	ok(load(&recording) == -EINVAL, "and one that has no specs where they belong");
}

/* Invalid contents are not trusted. */
static void damaged(void)
{
	static const uint32_t sizes[] = {
		0, 8, 12, 17, 20, 1 << 14, 1 << 20, UINT32_MAX, 0x80000000
	};
	bool harmless = true;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct recording recording = recording_new(0);
		struct record_item *item = (struct record_item *)(recording.bytes + recording.at);

		recording_spec(&recording, RECORD_CHOOSE, "abc", 0);
		item->size = sizes[i];
		harmless = load(&recording) == 0 && !has("libx.so", "abc") && harmless;
		recording_free(&recording);
	}
	ok(harmless, "a spec that says a wrong size is not read");
}

static void endless_text(void)
{
	struct recording recording = recording_new(0);
	size_t start = recording.at;

	/* Up to the last byte of the segment, without an end. */
	recording_item(&recording, RECORD_SPEC, recording.size - start);
	((struct record_spec *)(recording.bytes + start))->role = RECORD_CHOOSE;
	memset(recording.bytes + start + sizeof(struct record_spec), '*',
	       recording.size - start - sizeof(struct record_spec));
	ok(load(&recording) == 0 && !has("libx.so", "abc"), "nor is one that does not end");
}

static void odd_role(void)
{
	struct recording recording = recording_new(0);

	recording_spec(&recording, 77, "*", 0);
	recording_spec(&recording, RECORD_CHOOSE, "abc", 0);
	ok(load(&recording) == 0 && has("libx.so", "abc") && !has("libx.so", "def"),
	   "a spec of a kind that is not known is passed over");
}

static void many(void)
{
	struct recording recording = recording_new(0);
	bool all = true;
	char name[32];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		recording_spec(&recording, RECORD_CHOOSE, name, 0);
	}
	load(&recording);
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "function_%d", i);
		all = has("libx.so", name) && is_matched((size_t)i) && all;
	}
	ok(all && !has("libx.so", "function_300"), "there may be many");
}

static void only_counted(void)
{
	static const char *const names[] = {
		"setjmp",
		"_setjmp",
		"sigsetjmp",
		"__sigsetjmp",
		"longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"vfork",
		"clone",
		"getcontext",
		"setcontext",
		"swapcontext",
		"makecontext",
		"dlopen",
		"dlmopen",
		"dlsym",
		"dlvsym",
		"dladdr",
		"__libc_start_main",
		"_Unwind_Resume",
		"_Unwind_RaiseException",
		"unw_step",
		"__tls_get_addr",
		"__tunable_get_val",
		"mcount",
		"__fentry__",
		"execl",
		"execle",
		"execlp",
		"execv",
		"execve",
		"execvp",
		"execvpe",
		"execveat",
		"fexecve",
		"exit",
		"_exit",
		"_Exit",
		"abort",
		"quick_exit",
		"__gxx_personality_v0",
	};
	static const char *const others[] = {
		"malloc",       "fork",         "pthread_create", "execute",   "execute_plan",
		"exec_query",   "sqlite3_exec", "exit_code",      "abort_all", "setjmp_count",
		"my_longjmp",   "clone_tree",   "vforked",        "dlclose",   "dlerror",
		"_Unwinder",    "unwind",       "personality",    "syscalls",  "backtrace",
		"pthread_exit", "posix_spawn",  "__cxa_throw",    "qsort",     "",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!ok(counts_only("libc.so.6", names[i]), "%s is only counted", names[i]))
			note("it is timed");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ok(!counts_only("libother.so.1", others[i]), "'%s' is timed", others[i]);
}

static void system_objects(void)
{
	static const char *const names[] = { "ld-linux-x86-64.so.2", "libgcc_s.so.1",
					     "libunwind.so.8", "libunwind-x86_64.so.8" };
	static const char *const others[] = { "libc.so.6", "libgcc.so", "libld.so", "",
					      "libunwound.so" };
	bool all = true, none = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		all = counts_only(names[i], "anything") &&
		      choice_is_system(&(struct spec_subject){ .soname = names[i] }) && all;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		none = counts_only(others[i], "anything") ||
		       choice_is_system(&(struct spec_subject){ .soname = others[i] }) || none;
	ok(all, "all that the linker and unwinders have is only counted");
	ok(!none, "functions of other libraries are not");
}

int main(void)
{
	apart("chosen", chosen);
	apart("excluded", excluded);
	apart("callers", callers);
	apart("any caller", any_caller);
	apart("readable names", readable_names);
	apart("raw names", raw_names);
	apart("long names", long_names);
	apart("refused", refused);
	apart("damaged", damaged);
	apart("endless text", endless_text);
	apart("odd role", odd_role);
	apart("many", many);
	only_counted();
	system_objects();
	return tap_done();
}
