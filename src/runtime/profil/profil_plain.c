/* SPDX-License-Identifier: MIT
 *
 * profil_plain.c - `profil` itself, for programs built against another libc. PROFIL_DIALECT in the
 * environment selects the dialect.
 *
 * The arguments of the three dialects arrive in the same registers with the same widths, so one
 * definition takes them all; callers of the Solaris dialect ignore the result.
 */
#include <errno.h>
#include <profil.h>
#undef profil

#include "base/export.h"
#include "config.h"

/* Another name for the symbol `profil`, which <unistd.h> declares nonnull: see profil.c. */
EXPORT int profil_of_environment(unsigned short *buf, size_t bufsiz, size_t offset,
				 unsigned int scale) __asm__("profil");

int profil_of_environment(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale)
{
	switch (config_dialect()) {
	case PROFIL_LINUX:
		return profil_linux(buf, bufsiz, offset, scale);
	case PROFIL_BSD:
		return profil_bsd((char *)buf, bufsiz, offset, scale);
	case PROFIL_SOLARIS:
		profil_solaris(buf, bufsiz, offset, scale);
		return 0;
	default:
		errno = EINVAL;
		return -1;
	}
}
