/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "sys.h"
#include "unwind/memory.h"

/* Probes a word. The kernel copies it before it rejects 99 as a way to change a signal mask. */
static long probe(uintptr_t address)
{
	return SYS4(SYS_rt_sigprocmask, 99, address, NULL, sizeof(uint64_t));
}

bool memory_probe_self(uintptr_t address)
{
	return probe(address) == -EINVAL;
}

/* Tests the probe. An emulator may check the 99 first. The last page is the kernel's. */
bool memory_probe_works(void)
{
	return probe(-(uintptr_t)4096) == -EFAULT;
}

/* Probes, then copies. Another thread may unmap the memory in between, so this is only the fallback
 * where a seccomp filter forbids the better call. */
__attribute__((no_sanitize("address"))) static bool probe_and_copy(uintptr_t address, uint8_t *to,
								   size_t size)
{
	const uintptr_t word = sizeof(uint64_t);

	for (size_t i = 0; i < size; i++) {
		uintptr_t at = address + i;

		if ((i == 0 || at % word == 0) && !memory_probe_self(at & ~(word - 1)))
			return false;
		to[i] = *(const volatile uint8_t *)at;
	}
	return true;
}

bool memory_read_self(void *context, uintptr_t address, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)address, size };
	pid_t pid = sys_getpid();
	long done = SYS6(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);

	(void)context;
	if (done == -EPERM || done == -ENOSYS || done == -EACCES)
		return probe_and_copy(address, to, size);
	return done == (long)size;
}
