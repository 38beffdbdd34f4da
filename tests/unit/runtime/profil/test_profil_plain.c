/* SPDX-License-Identifier: MIT
 *
 * test_profil_plain.c - the dialect of the symbol `profil`.
 */
#include <errno.h>
#include <profil.h>
#undef profil

#include "tap.h"

/* libc's header declares buf as never NULL; here it may be. */
int plain_profil(unsigned short *buf, size_t bufsiz, size_t offset,
		 unsigned int scale) __asm__("profil");

static struct {
	int dialect; /* which was called */
	const void *buf;
	size_t bufsiz, offset;
	unsigned int scale;
} called;

int profil_linux(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale)
{
	called.dialect = PROFIL_LINUX;
	called.buf = buf;
	called.bufsiz = bufsiz;
	called.offset = offset;
	called.scale = scale;
	return 11;
}

int profil_bsd(char *samples, size_t size, unsigned long offset, unsigned int scale)
{
	profil_linux((unsigned short *)(void *)samples, size, offset, scale);
	called.dialect = PROFIL_BSD;
	return 22;
}

void profil_solaris(unsigned short *buff, size_t bufsiz, unsigned long offset, unsigned int scale)
{
	profil_linux(buff, bufsiz, offset, scale);
	called.dialect = PROFIL_SOLARIS;
}

static void speaks(const char *name, int dialect, int answer)
{
	unsigned short buffer[4];

	called.dialect = 0;
	setenv("PROFIL_DIALECT", name, 1);
	ok(plain_profil(buffer, sizeof(buffer), 0x401000, 65536) == answer &&
		   called.dialect == dialect && called.buf == buffer &&
		   called.bufsiz == sizeof(buffer) && called.offset == 0x401000 &&
		   called.scale == 65536,
	   "PROFIL_DIALECT \"%s\": all it is given arrives", name);
	ok(plain_profil(NULL, 0, 0, 0) == answer && called.buf == NULL,
	   "PROFIL_DIALECT \"%s\": so does NULL", name);
}

int main(void)
{
	speaks("", PROFIL_LINUX, 11);
	speaks("linux", PROFIL_LINUX, 11);
	speaks("bsd", PROFIL_BSD, 22);
	speaks("solaris", PROFIL_SOLARIS, 0);
	setenv("PROFIL_DIALECT", "plan9", 1);
	called.dialect = 0;
	errno = 0;
	ok(plain_profil(NULL, 0, 0, 0) == -1 && errno == EINVAL && called.dialect == 0,
	   "a dialect that is none: EINVAL, and nothing is changed");
	return tap_done();
}
