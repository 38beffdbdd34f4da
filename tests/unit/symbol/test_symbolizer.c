/* SPDX-License-Identifier: MIT
 *
 * test_symbolizer.c LIBRARY - tests/prog/profile_library, whole and stripped in all the ways of
 * distributions, by binutils; compared with nm and objdump.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "../elf_symbols.h"
#include "emulated.h"
#include "symbol/symbolizer.h"
#include "symbol/vdso.h"
#include "ticks.h"

static const char *library;
static char folder[] = "/tmp/test_symbolizer.XXXXXX";

/* Runs a shell command in the folder. */
__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char command[4096];
	int length = snprintf(command, sizeof(command), "cd %s && exec >/dev/null 2>&1; ", folder);
	va_list args;

	va_start(args, format);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, args);
	va_end(args);
	return system(command) == 0;
}

/* Valid until the fourth call after it. */
static const char *path_of(const char *name)
{
	static char paths[4][256];
	static size_t next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

/* A function found in a file, and its start. */
struct answer {
	char symbol[256];
	uint64_t start;
	enum symbolizer_state state;
};

static struct answer ask(const char *path, const struct build_id *id, uint64_t offset)
{
	static const struct build_id none;
	struct symbolizer symbolizer;
	struct symbolizer_object *object;
	struct place place;
	struct answer answer = { .symbol = "" };

	symbolizer_init(&symbolizer);
	symbolizer.debug_folder = path_of("debug");
	object = symbolizer_object(&symbolizer, path, id ? id : &none);
	if (!object || symbolizer_find(&symbolizer, object, offset, &place))
		bail_out("no memory");
	if (place_function(&place)->symbol)
		snprintf(answer.symbol, sizeof(answer.symbol), "%s",
			 place_function(&place)->symbol);
	answer.start = place_function(&place)->start;
	answer.state = object->state;
	symbolizer_fini(&symbolizer);
	return answer;
}

/* The functions, by offset and by address. */
static uint64_t alpha, alpha_start, hidden, hidden_start;

static bool finds(const char *name, const char *symbol)
{
	struct answer answer = ask(path_of(name), NULL, hidden + 3);

	if (strcmp(answer.symbol, symbol) == 0 && answer.start == hidden_start)
		return true;
	note("%s: found '%s' at %#llx", name, answer.symbol, (unsigned long long)answer.start);
	return false;
}

static void whole(void)
{
	struct answer answer = ask(library, NULL, alpha);

	ok(strcmp(answer.symbol, "alpha") == 0 && answer.start == alpha_start,
	   "a function by its first byte");
	answer = ask(library, NULL, hidden + 5);
	ok(strcmp(answer.symbol, "hidden") == 0 && answer.start == hidden_start,
	   "one that is not exported, by another byte");
	answer = ask(library, NULL, alpha - 1);
	ok(strcmp(answer.symbol, "alpha") != 0, "the byte before is not in it");
	answer = ask(library, NULL, UINT64_C(1) << 60);
	ok(!*answer.symbol && answer.start == UINT64_C(1) << 60, "far behind its end is nothing");
}

static void stripped(void)
{
	struct answer answer;

	ok(run("cp %s whole.so && strip -o stripped.so whole.so", library), "there is strip");
	answer = ask(path_of("stripped.so"), NULL, alpha + 2);
	ok(strcmp(answer.symbol, "alpha") == 0, "exported functions keep their names");
	ok(finds("stripped.so", ""),
	   "another has none, and its start is known by the unwind table");
	ok(run("objcopy --only-keep-debug whole.so linked.debug && cp stripped.so linked.so && "
	       "objcopy --add-gnu-debuglink=linked.debug linked.so") &&
		   finds("linked.so", "hidden"),
	   "a debug file beside it");
	ok(run("mkdir .debug && mv linked.debug .debug") && finds("linked.so", "hidden"),
	   "or in .debug");
	ok(run("mkdir -p debug%s && mv .debug/linked.debug debug%s", folder, folder) &&
		   finds("linked.so", "hidden"),
	   "or in the folder of all");
	ok(run("cp debug%s/linked.debug . && objcopy -R .note.gnu.build-id stripped.so bare.so && "
	       "objcopy --add-gnu-debuglink=linked.debug bare.so",
	       folder) &&
		   finds("bare.so", "hidden"),
	   "without a build-id, by its checksum");
	ok(run("printf x >>linked.debug && rm -r debug") && finds("bare.so", ""),
	   "and not if that is another");
	run("rm -f linked.debug");
}

static void by_build_id(void)
{
	char text[128] = "";
	FILE *id;
	char command[512];

	snprintf(command, sizeof(command), "readelf -n %s | sed -n 's/.*Build ID: //p'", library);
	id = popen(command, "r");
	if (!id || !fgets(text, sizeof(text), id))
		bail_out("there is no build-id");
	pclose(id);
	text[strcspn(text, "\n")] = '\0';
	ok(run("mkdir -p debug/.build-id/%.2s && objcopy --only-keep-debug whole.so "
	       "debug/.build-id/%.2s/%s.debug",
	       text, text, text + 2) &&
		   finds("stripped.so", "hidden"),
	   "by its build-id");
	/* The same symbols, and a build-id of zeroes. */
	ok(run("objcopy --only-keep-debug whole.so other.debug && "
	       "printf '\\004\\0\\0\\0\\024\\0\\0\\0\\003\\0\\0\\0GNU\\0%%020d' 0 >other.id && "
	       "objcopy --update-section .note.gnu.build-id=other.id other.debug "
	       "debug/.build-id/%.2s/%s.debug",
	       text, text + 2) &&
		   finds("stripped.so", ""),
	   "not if the file there has another");
	run("rm -r debug");
}

static void mini(void)
{
	if (!run("command -v xz")) {
		skip(".gnu_debugdata", "there is no xz");
		return;
	}
	ok(run("objcopy -S --keep-symbol=hidden whole.so mini && xz -f mini && cp stripped.so "
	       "mini.so && objcopy --add-section .gnu_debugdata=mini.xz mini.so") &&
		   finds("mini.so", "hidden"),
	   "symbols in .gnu_debugdata");
}

static void other_files(void)
{
	struct build_id id = { .size = 20, .bytes = { 1, 2, 3 } };
	struct answer answer = ask(library, &id, alpha);

	ok(answer.state == SYMBOLIZER_CHANGED && !*answer.symbol,
	   "a file with another build-id than was recorded is not used");
	ok(ask(path_of("nowhere"), NULL, 1).state == SYMBOLIZER_MISSING, "one that is not there");
	ok(run("mkfifo fifo") && ask(path_of("fifo"), NULL, 1).state == SYMBOLIZER_MISSING,
	   "a FIFO is not waited for");
	ok(run("echo text >text") && ask(path_of("text"), NULL, 1).state == SYMBOLIZER_DAMAGED,
	   "a text is not an object");
	ok(ask("[heap]", NULL, 1).state == SYMBOLIZER_MISSING, "nor is a mapping without a file");
}

static bool is_alpha(const struct answer *answer)
{
	return strcmp(answer->symbol, "alpha") == 0 && answer->start == alpha_start;
}

/* Cut at each byte: never a crash, and everything whole is found. */
static void damaged_files(void)
{
	int changed = 0, cut = 0, of_changed = 0;
	struct answer answer;
	int fd = open(library, O_RDONLY), copy = open(path_of("copy.so"), O_RDWR | O_CREAT, 0600);
	static char bytes[1 << 20];
	ssize_t size = read(fd, bytes, sizeof(bytes));

	for (ssize_t at = 0; at < size; at += at < 4096 ? 16 : 97) {
		char before = bytes[at];

		bytes[at] = (char)(at % 3 ? 0xff : before ^ 0x10);
		if (pwrite(copy, bytes, (size_t)size, 0) != size)
			bail_out("cannot write");
		answer = ask(path_of("copy.so"), NULL, alpha);
		changed += is_alpha(&answer);
		of_changed++;
		bytes[at] = before;
	}
	for (ssize_t length = 1; length < size; length += 199) {
		if (ftruncate(copy, 0) || pwrite(copy, bytes, (size_t)length, 0) != length)
			bail_out("cannot write");
		answer = ask(path_of("copy.so"), NULL, alpha);
		/* Its dynamic symbols are in the first page; no file is valid without a header. */
		cut += length < 64 ? answer.state != SYMBOLIZER_DAMAGED || *answer.symbol
				   : *answer.symbol && !is_alpha(&answer);
	}
	if (pwrite(copy, bytes, (size_t)size, 0) != size)
		bail_out("cannot write");
	close(fd);
	close(copy);
	note("alpha is found in %d of %d files with a wrong byte", changed, of_changed);
	ok(changed > of_changed / 2 && changed < of_changed,
	   "most bytes do not matter to a function, some do");
	ok(cut == 0, "a file that is cut short has the name, none or no header");
	answer = ask(path_of("copy.so"), NULL, alpha);
	ok(is_alpha(&answer), "the whole file has it again");
}

/* Counts the stubs that objdump names in a library, and those with the same name here. A function
 * of the library gives the distance of offsets from addresses. */
static int count_stubs(const char *path, const char *function, int *found)
{
	uint64_t shift = elf_symbol_offset(path, function) - elf_symbol_address(path, function);
	char command[512], line[512];
	unsigned long long address;
	int count = 0;
	FILE *objdump;

	snprintf(command, sizeof(command), "objdump -d %s | grep '@plt>:'", path);
	objdump = popen(command, "r");
	*found = 0;
	while (objdump && fgets(line, sizeof(line), objdump)) {
		char name[256];
		struct answer answer;

		if (sscanf(line, "%llx <%255[^>]>", &address, name) != 2)
			continue;
		answer = ask(path, NULL, address + shift);
		count++;
		*found += strcmp(answer.symbol, name) == 0 && answer.start == address;
		if (strcmp(answer.symbol, name) != 0)
			note("%s is '%s'", name, answer.symbol);
	}
	if (objdump)
		pclose(objdump);
	return count;
}

/* Linkers make stubs of several shapes. */
static void plt(void)
{
	static const char *const ways[][2] = {
		{ "bound when first called", "-Wl,-z,lazy" },
		{ "bound at the start", "-Wl,-z,now" },
		{ "for indirect branch tracking", "-fcf-protection -Wl,-z,lazy,-z,ibtplt" },
		{ "for that, bound at the start", "-fcf-protection -Wl,-z,now,-z,ibtplt" },
		{ "of lld", "-fuse-ld=lld -Wl,-z,lazy" },
		{ "of gold", "-fuse-ld=gold -Wl,-z,lazy" },
	};
	char path[128];
	int found, count = count_stubs(library, "alpha", &found);

	snprintf(path, sizeof(path), "%s", path_of("plt.so"));
	ok(count > 0 && found == count, "all %d stubs of the PLT, as objdump has them", count);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!run("printf 'int puts(const char *); int abs(int); void free(void *);"
			 "int user(char *t) { free(t); return puts(t) + abs(*t); }' | "
			 "cc -shared -fPIC -fno-builtin -O1 %s -x c - -o plt.so",
			 ways[i][1])) {
			skip(ways[i][0], "there is no such linker");
			continue;
		}
		count = count_stubs(path, "user", &found);
		ok(count >= 3 && found == count, "stubs %s: %d", ways[i][0], count);
	}
}

static void vdso(void)
{
	int fd = vdso_open();
	char command[512];
	uint64_t offset;
	struct answer answer;

	if (fd < 0 || is_emulated()) {
		skip("the vdso", fd < 0 ? "there is none" : NO_VDSO);
		close(fd);
		return;
	}
	snprintf(command, sizeof(command), "cat /proc/%d/fd/%d >vdso.so", getpid(), fd);
	run("%s", command);
	close(fd);
	offset = elf_symbol_offset(path_of("vdso.so"), ARCH_VDSO_CLOCK);
	answer = ask("[vdso]", NULL, offset);
	if (!ok(strstr(answer.symbol, "clock_gettime"), "a function of the vdso"))
		note("'%s'", answer.symbol);
	ok(ask("[vdso]", &(struct build_id){ .size = 20 }, offset).state == SYMBOLIZER_CHANGED,
	   "not if it is of another kernel");
}

/* The kernel's view of a handler; only the restorer matters. */
#define SA_RESTORER 0x04000000 /* libc does not name it */

struct kernel_sigaction {
	void *handler;
	unsigned long flags;
	void *restorer;
	unsigned long mask;
};

static void handler(int signal)
{
	(void)signal;
}

static void signal_frames(void)
{
	struct kernel_sigaction action = { 0 };
	struct symbolizer symbolizer;
	struct build_id none = { 0 };
	Dl_info info;
	uint64_t offset;
	bool is_signal;

	signal(SIGUSR1, handler);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
	/* glibc fills it only on CPUs that need it. */
	if (!(action.flags & SA_RESTORER) || !dladdr(action.restorer, &info)) {
		skip("frames of signals", "handlers return elsewhere");
		return;
	}
	symbolizer_init(&symbolizer);
	/* In these libraries, offsets of code equal addresses. */
	offset = (uint64_t)((char *)action.restorer - (char *)info.dli_fbase);
	ok(!symbolizer_is_signal_frame(&symbolizer,
				       symbolizer_object(&symbolizer, info.dli_fname, &none),
				       offset, &is_signal) &&
		   is_signal,
	   "where signal handlers return to is known by its unwind table");
	ok(!symbolizer_is_signal_frame(&symbolizer, symbolizer_object(&symbolizer, library, &none),
				       alpha, &is_signal) &&
		   !is_signal,
	   "and others are not taken for it");
	symbolizer_fini(&symbolizer);
}

/* Returns the name of an address in a map. */
static const char *jit_name(uint32_t pid, uint64_t address, uint64_t since)
{
	static char name[64];
	struct symbolizer symbolizer;
	struct place place;

	symbolizer_init(&symbolizer);
	symbolizer.jit_folder = folder;
	symbolizer.since = since;
	if (symbolizer_find_jit(&symbolizer, pid, address, &place))
		bail_out("no memory");
	snprintf(name, sizeof(name), "%s", place.frames[0].symbol ? place.frames[0].symbol : "");
	symbolizer_fini(&symbolizer);
	return name;
}

static void jit(void)
{
	ok(run("printf '1000 20 an old one\\n1000 10 new name\\nzz\\n-1 5 x\\n2000 "
	       "ffffffffffffffff x\\n"
	       "3000 0 x\\n4000 10 ' >perf-7.map"),
	   "there is a map");
	ok(strcmp(jit_name(7, 0x1008, 0), "new name") == 0, "the last line of an address holds");
	ok(strcmp(jit_name(7, 0x0fff, 0), "") == 0 && strcmp(jit_name(7, 0x2000, 0), "") == 0 &&
		   strcmp(jit_name(7, 0x4000, 0), "") == 0,
	   "lines that make no sense are none");
	ok(strcmp(jit_name(8, 0x1008, 0), "") == 0, "another process has no map");
	ok(strcmp(jit_name(7, 0x1008, UINT64_C(1) << 40), "") == 0,
	   "one that is older than the recording is of another process");
	ok(run("ln -s perf-7.map perf-9.map") && strcmp(jit_name(9, 0x1008, 0), "") == 0,
	   "links are not followed");
	if (geteuid() == 0)
		ok(run("chown 4711 perf-7.map") && strcmp(jit_name(7, 0x1008, 0), "") == 0,
		   "nor are maps of others believed");
	else
		skip("maps of others are not believed", "only root can make one");
}

int main(int argc, char **argv)
{
	if (argc < 2 || !mkdtemp(folder))
		bail_out("usage: test_symbolizer LIBRARY");
	library = realpath(argv[1], NULL);
	alpha = elf_symbol_offset(library, "alpha");
	alpha_start = elf_symbol_address(library, "alpha");
	hidden = elf_symbol_offset(library, "hidden");
	hidden_start = elf_symbol_address(library, "hidden");
	whole();
	stripped();
	by_build_id();
	mini();
	other_files();
	damaged_files();
	plt();
	vdso();
	signal_frames();
	jit();
	run("rm -r %s", folder);
	return tap_done();
}
