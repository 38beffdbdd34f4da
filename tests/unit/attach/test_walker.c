/* SPDX-License-Identifier: MIT
 *
 * test_walker.c - the stack of a child, from its registers and a copy of various lengths: memory
 * outside the copy is trusted only if it still matches.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/proc.h"
#include "attach/walker.h"
#include "emulated.h"
#include "tap.h"

#define DEPTH 30
#define FRAME 3000
#define PAGE  4096

static struct shared {
	uintptr_t registers[ARCH_FRAME_REGISTERS];
	uintptr_t back; /* where dive() returns to in itself */
} * shared;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	arch_frame_registers(shared->registers, context);
	raise(SIGSTOP);
}

static volatile int sunk;

/* At the start of a page, so that its innermost frame can be recognised. */
__attribute__((noinline, aligned(PAGE), section(".text.dive"))) static int dive(int depth)
{
	volatile char room[FRAME];

	room[depth] = 1;
	if (depth < DEPTH)
		shared->back = (uintptr_t)__builtin_return_address(0);
	if (!depth)
		raise(SIGUSR1);
	else
		sunk += dive(depth - 1);
	return room[depth];
}

/* Executable mappings of the child. */
struct gathering {
	pid_t pid;
	struct images images;
	struct walker_code codes[100];
	size_t count;
};

static int gather(void *argument, const struct proc_map *map)
{
	struct gathering *gathering = argument;
	struct images_wanted wanted = { .pid = gathering->pid,
					.start = map->start,
					.end = map->end,
					.inode = map->inode,
					.path = map->path };

	if (!map->is_executable || gathering->count == 100)
		return 0;
	gathering->codes[gathering->count++] =
		(struct walker_code){ .start = map->start,
				      .end = map->end,
				      .offset = map->offset,
				      .image = images_get(&gathering->images, &wanted) };
	return 0;
}

/* Returns the number of frames that return to dive(), and of the one below them if it is dive()'s.
 */
static int dives(const struct walker_frames *frames)
{
	uintptr_t start = (uintptr_t)dive;
	int count = 0;

	for (uint32_t i = 1; i < frames->depth; i++) {
		if (frames->pcs[i] != shared->back)
			continue;
		count += !count && frames->pcs[i - 1] > start && frames->pcs[i - 1] < start + PAGE;
		count++;
	}
	return count;
}

static struct walker_frames walk(struct walker *walker, pid_t child, char *copy, size_t bytes)
{
	struct walker_stack stack = { .registers = { .known = REGISTERS_ALL, .exact = true },
				      .copy = copy,
				      .copy_bytes = bytes,
				      .is_cut = true };
	struct walker_frames frames;

	memcpy(stack.registers.value, shared->registers, sizeof(shared->registers));
	walker_walk(walker, child, &stack, &frames);
	return frames;
}

static void write_child(pid_t child, uintptr_t address, const void *bytes, size_t size)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (pwrite(fd, bytes, size, (off_t)address) != (ssize_t)size)
		bail_out("the child cannot be written");
	close(fd);
}

static void cases(struct walker *walker, pid_t child)
{
	static char copy[512 * 1024], zeroes[3 * FRAME];
	uintptr_t sp = shared->registers[ARCH_FRAME_SP];
	size_t cut = 10 * FRAME, all;
	struct walker_frames frames;
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	all = (size_t)pread(fd, copy, sizeof(copy), (off_t)sp);
	close(fd);
	frames = walk(walker, child, copy, all);
	ok(frames.end == RECORD_STACK_COMPLETE && dives(&frames) == DEPTH + 1 &&
		   frames.certain == frames.depth,
	   "a whole copy: %d frames, all of them certain", (int)frames.depth);
	frames = walk(walker, child, copy, cut);
	ok(frames.end == RECORD_STACK_COMPLETE && dives(&frames) == DEPTH + 1,
	   "a copy that was cut: what is above it is read from the process");
	ok(frames.certain < frames.depth && frames.certain >= 9,
	   "only what is in the copy is certain: %d frames", (int)frames.certain);
	frames = walk(walker, child, NULL, 0);
	ok(frames.end == RECORD_STACK_COMPLETE && dives(&frames) == DEPTH + 1,
	   "no copy at all: the process itself is read");
	copy[cut - 8] ^= 1;
	frames = walk(walker, child, copy, cut);
	ok(frames.end == RECORD_STACK_TOO_DEEP && frames.depth == frames.certain,
	   "the end of the copy is not what it was: nothing above it is believed");
	copy[cut - 8] ^= 1;
	write_child(child, sp + 20 * FRAME, zeroes, sizeof(zeroes));
	frames = walk(walker, child, copy, cut);
	ok(frames.end == RECORD_STACK_TOO_DEEP && frames.depth == frames.certain,
	   "frames above it lead nowhere: they are not believed either");
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	static struct gathering gathering;
	struct walker walker = { 0 };
	int status;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	sigaction(SIGUSR1, &act, NULL);
	gathering.pid = fork();
	if (gathering.pid == 0) {
		dive(DEPTH);
		_exit(0);
	}
	waitpid(gathering.pid, &status, WUNTRACED);
	if (!WIFSTOPPED(status))
		bail_out("the child did not stop");
	proc_each_map(gathering.pid, gather, &gathering);
	ok(walker_publish(&walker, gathering.codes, gathering.count) == 0, "%d mappings are known",
	   (int)gathering.count);
	if (is_emulated())
		skip("the stack of a child", NO_PROCESSES);
	else
		cases(&walker, gathering.pid);
	for (int i = 0; i < 5; i++)
		walker_publish(&walker, gathering.codes, gathering.count);
	ok(walker.objects.tables[walker.objects.current]->count >= gathering.count,
	   "they may be made known again and again");
	walker_free(&walker);
	images_free(&gathering.images);
	kill(gathering.pid, SIGKILL);
	waitpid(gathering.pid, &status, 0);
	return tap_done();
}
