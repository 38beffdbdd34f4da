/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys.h"
#include "tap.h"

/* mmap() takes all six, and fails or maps the wrong thing if one of them is misplaced. */
static void six_arguments(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = memfd_create("six", 0);
	char *at;

	if (fd < 0 || pwrite(fd, "second", 6, (off_t)page) != 6)
		bail_out("no file to map");
	at = (char *)arch_syscall(SYS_MMAP, 0, (long)page, PROT_READ, MAP_PRIVATE, fd,
				  (long)page / SYS_MMAP_UNIT);
	ok(memcmp(at, "second", 6) == 0, "six arguments arrive");
	ok(arch_syscall(SYS_munmap, (long)at, (long)page, 0, 0, 0, 0) == 0, "so do two");
	close(fd);
}

int main(void)
{
	long closed;
	int kept;

	ok(arch_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid(), "the answer is the kernel's");
	/* Nothing is printed in between: allocating the buffer sets errno if brk() fails, as it may
	 * under an emulator. */
	errno = 12345;
	closed = arch_syscall(SYS_close, -1, 0, 0, 0, 0, 0);
	kept = errno;
	ok(closed == -EBADF, "an error is -errno");
	ok(kept == 12345, "and errno stays as it was");
	six_arguments();
	return tap_done();
}
