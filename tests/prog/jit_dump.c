/* SPDX-License-Identifier: MIT
 *
 * jit_dump.c FOLDER - runs code that it writes itself, and lists it in FOLDER/jit-PID.dump as JITs
 * do: functions that take each other's place, one that moves, one that is compiled twice. Prints
 * the CPU time of each.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "made_code.h"
#include "record_load.h"

static int dump;
static uint8_t *memory;

static void put(const void *bytes, size_t size)
{
	if (write(dump, bytes, size) != (ssize_t)size)
		exit(1);
}

static void put_head(uint32_t kind, size_t rest)
{
	struct timespec now;
	uint32_t words[2] = { kind, (uint32_t)(16 + rest) };
	uint64_t time;

	clock_gettime(CLOCK_MONOTONIC, &now);
	time = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	put(words, sizeof(words));
	put(&time, sizeof(time));
}

static void begin(const char *folder)
{
	uint32_t words[] = { 0x4a695444, 1, 40, MADE_MACHINE, 0, (uint32_t)getpid() };
	uint64_t rest[2] = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/jit-%d.dump", folder, (int)getpid());
	dump = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	put(words, sizeof(words));
	put(rest, sizeof(rest));
	/* The mark by which profilers find it. */
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, dump, 0) == MAP_FAILED)
		exit(1);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	memset(memory, 0xcc, 4096);
}

/* Two lines, and one of an inlined function of another file. */
static void put_lines(size_t place)
{
	static const struct {
		uint32_t offset, line;
		const char *file;
	} lines[] = { { 0, 10, "made.src" },
		      { MADE_LOOP, 20, "\xff" },
		      { MADE_END, 77, "other.src" } };
	uint64_t words[2] = { (uint64_t)(uintptr_t)memory + place, 3 };
	size_t size = sizeof(words);

	for (size_t i = 0; i < 3; i++)
		size += 16 + strlen(lines[i].file) + 1;
	put_head(2, size);
	put(words, sizeof(words));
	for (size_t i = 0; i < 3; i++) {
		uint64_t address = words[0] + lines[i].offset;
		uint32_t where[2] = { lines[i].line, 1 };

		put(&address, sizeof(address));
		put(where, sizeof(where));
		put(lines[i].file, strlen(lines[i].file) + 1);
	}
}

static void load(size_t place, uint64_t number, const char *name)
{
	uint32_t ids[2] = { (uint32_t)getpid(), (uint32_t)getpid() };
	uint64_t address = (uint64_t)(uintptr_t)memory + place;
	uint64_t words[] = { address, address, sizeof(made_code), number };

	made_code_write(memory + place);
	put_head(0, sizeof(ids) + sizeof(words) + strlen(name) + 1 + sizeof(made_code));
	put(ids, sizeof(ids));
	put(words, sizeof(words));
	put(name, strlen(name) + 1);
	put(made_code, sizeof(made_code));
}

static void move(size_t from, size_t to, uint64_t number)
{
	uint32_t ids[2] = { (uint32_t)getpid(), (uint32_t)getpid() };
	uint64_t start = (uint64_t)(uintptr_t)memory;
	uint64_t words[] = { start + to, start + from, start + to, sizeof(made_code), number };

	made_code_write(memory + to);
	memset(memory + from, 0xcc, sizeof(made_code));
	put_head(1, sizeof(ids) + sizeof(words));
	put(ids, sizeof(ids));
	put(words, sizeof(words));
}

static void work(size_t place, double seconds, const char *name)
{
	double from = process_cpu();

	while (process_cpu() - from < seconds)
		((void (*)(int))(memory + place))(400000);
	printf("made %s %.6f\n", name, process_cpu() - from);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	begin(argv[1]);
	put_lines(0);
	load(0, 1, "alpha");
	work(0, 0.1, "alpha");
	load(0, 2, "beta");
	work(0, 0.15, "beta");
	move(0, 1024, 2);
	load(0, 3, "JS:~gamma /made/app.js:7:3");
	work(0, 0.05, "gamma");
	work(1024, 0.05, "beta");
	load(2048, 4, "JS:*gamma /made/app.js:7:3");
	work(2048, 0.1, "gamma");
	load(3072, 5, "JS:*gamma /made/app.js:7:99");
	work(3072, 0.05, "other");
	put_head(3, 0);
	fflush(stdout);
	say_cpu();
	return 0;
}
