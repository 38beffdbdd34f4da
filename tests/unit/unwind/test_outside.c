/* SPDX-License-Identifier: MIT
 *
 * test_outside.c - the stack of another process, walked with a copy of it, the ELF files, and
 * /proc/PID/mem for the rest. A child walks its own stack first; both must be equal.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pages.h"
#include "self.h"

#define NOINLINE __attribute__((noinline))

/* The child's result. */
static struct {
	uint64_t pcs[UNWIND_DEPTH];
	int count;
	uintptr_t registers[ARCH_FRAME_REGISTERS];
} * theirs;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	struct unwind unwind = self_unwind();
	struct registers registers;

	(void)sig;
	(void)info;
	registers_of(&registers, context);
	memcpy(theirs->registers, registers.value, sizeof(theirs->registers));
	theirs->count = unwind_walk(&unwind, &registers, theirs->pcs, UNWIND_DEPTH);
	raise(SIGSTOP);
}

static volatile int sunk;

NOINLINE static int dive(int depth)
{
	volatile char room[3000];

	room[depth] = 1;
	if (!depth)
		raise(SIGUSR1);
	else
		sunk += dive(depth - 1);
	return room[depth];
}

static bool read_process(void *context, uintptr_t address, void *to, size_t size)
{
	return pread(*(int *)context, to, size, (off_t)address) == (ssize_t)size;
}

/* Maps the whole file of an object. */
static const void *map_file(const char *path)
{
	int fd = open(path && *path ? path : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *map = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &status))
		map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	return map == MAP_FAILED ? NULL : map;
}

static int add_file(struct dl_phdr_info *info, size_t size, void *table)
{
	struct object object = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, false,
				 map_file(info->dlpi_name) };

	(void)size;
	/* The vdso has no file, so it is read from the process. */
	table_add_object(table, &object);
	return 0;
}

static void compare(const char *how, struct objects *objects, int *mem, struct window stack)
{
	struct unwind unwind = { .objects = objects,
				 .memory = {
					 .read = read_process, .context = mem, .stack = stack } };
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	uint64_t pcs[UNWIND_DEPTH];
	int count;

	memcpy(registers.value, theirs->registers, sizeof(theirs->registers));
	count = unwind_walk(&unwind, &registers, pcs, UNWIND_DEPTH);
	ok(count == theirs->count && unwind.reason == UNWIND_END && unwind.certain == count &&
		   memcmp(pcs, theirs->pcs, (size_t)count * sizeof(*pcs)) == 0,
	   "%s: %d frames, as in the process itself (%s)", how, count,
	   unwind_reason_name(unwind.reason));
}

static void walk_child(pid_t child)
{
	static char tables[128 * 1024] __attribute__((aligned(64)));
	static char copy[64 * 1024];
	struct objects objects;
	uintptr_t sp = theirs->registers[ARCH_FRAME_SP];
	char path[40];
	ssize_t size;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	size = pread(mem, copy, sizeof(copy), (off_t)sp);
	if (size <= 0)
		bail_out("the child cannot be read");
	objects_init(&objects, tables, sizeof(tables));
	dl_iterate_phdr(add_file, objects_begin(&objects));
	objects_publish(&objects);
	compare("a copy of the stack, and files", &objects, &mem,
		(struct window){ sp, sp + (uintptr_t)size, (uintptr_t)copy - sp });
	compare("files alone", &objects, &mem, (struct window){ 0 });
	compare("memory of the process alone", &self_objects, &mem, (struct window){ 0 });
	close(mem);
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	pid_t child;
	int status;

	theirs = mmap(NULL, sizeof(*theirs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	self_init();
	sigaction(SIGUSR1, &act, NULL);
	child = fork();
	if (!child) {
		dive(10);
		_exit(0);
	}
	waitpid(child, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		bail_out("the child did not stop");
	walk_child(child);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return tap_done();
}
