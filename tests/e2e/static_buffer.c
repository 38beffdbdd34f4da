/* SPDX-License-Identifier: MIT
 *
 * A buffer in the program's static data is counted in without a question to the kernel, and is
 * still not written to once the program has taken it away: it survives, and profiling is off. Each
 * part is a process of its own, since after the first such call every buffer is asked about again.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define SIZE    8192
#define SKIPPED 77

/* In pages of its own, and long enough that no other data shares its last 64 KB. */
static char buffer[SIZE + 65536] __attribute__((aligned(65536)));

/* Returns true if counting in memory goes on for a while. */
static bool runs_in(void *counters)
{
	profil_linux(counters, SIZE, (size_t)burn, 65536);
	burn(0.1);
	return clock_now().running && sum16(counters, SIZE / 2) > 0;
}

/* ---- no question is asked ---- */

/* Makes the kernel report the buffer as gone whenever it is asked from now on. */
static bool answer_gone(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAKE_OP, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static int static_is_not_asked_about(void)
{
	return !answer_gone() ? SKIPPED : !runs_in(buffer);
}

static int mapped_is_asked_about(void)
{
	void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return !answer_gone() ? SKIPPED : runs_in(mapped);
}

static int harmless_calls(void)
{
	void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(mapped, SIZE, PROT_READ);
	mapped = mremap(mapped, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
	if (mapped == MAP_FAILED || munmap(mapped, 2 * SIZE) || munmap(buffer + 1, 1) != -1 ||
	    errno != EINVAL)
		return 1;
	return 0;
}

/* Returns 0 if a file can be mapped at an offset that does not fit in 32 bits. */
static int far_in_a_file(void)
{
	const off_t far = ((off_t)1 << 32) + 3 * SIZE;
	int fd = memfd_create("far", 0);
	const char *mapped;

	if (fd < 0 || pwrite(fd, "near", 4, 3 * SIZE) != 4 || pwrite(fd, "far", 4, far) != 4)
		return 1;
	mapped = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, far);
	return mapped == MAP_FAILED || strcmp(mapped, "far") != 0;
}

static int elsewhere_does_not_matter(void)
{
	void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(mapped, SIZE, PROT_READ);
	munmap(mapped, SIZE);
	return !answer_gone() ? SKIPPED : !runs_in(buffer);
}

/* ---- and yet it may be taken away ---- */

static void unmap(void)
{
	munmap(buffer, SIZE);
}

static void protect(void)
{
	mprotect(buffer, SIZE, PROT_READ);
}

static void hide(void)
{
	mprotect(buffer, SIZE, PROT_NONE);
}

static void replace(void)
{
	mmap(buffer, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void move(void)
{
	mremap(buffer, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
}

static int survives(void (*spoil)(void))
{
	if (!runs_in(buffer))
		return 1;
	spoil();
	burn(0.1);
	return clock_now().running ? 2 : 0;
}

static int survives_unmap(void)
{
	return survives(unmap);
}

static int survives_protect(void)
{
	return survives(protect);
}

static int survives_hide(void)
{
	return survives(hide);
}

static int survives_replace(void)
{
	return survives(replace);
}

static int survives_move(void)
{
	return survives(move);
}

static const struct {
	const char *name;
	int (*run)(void);
} parts[] = {
	{ "static data is not asked about", static_is_not_asked_about },
	{ "mapped memory is", mapped_is_asked_about },
	{ "calls for other memory do what they do", harmless_calls },
	{ "and change nothing", elsewhere_does_not_matter },
	{ "a part of a file that is behind 4 GiB is mapped from there", far_in_a_file },
	{ "static data that is unmapped: profiling is off", survives_unmap },
	{ "that is made read-only", survives_protect },
	{ "that is made inaccessible", survives_hide },
	{ "that something else is mapped over", survives_replace },
	{ "that is moved", survives_move },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		pid_t child = fork();
		int status = -1;

		if (child == 0)
			_exit(parts[i].run());
		waitpid(child, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
			skip(parts[i].name, "this kernel has no filters");
		else
			ok(status == 0, "%s (%d)", parts[i].name, status);
	}
	return tap_done();
}
