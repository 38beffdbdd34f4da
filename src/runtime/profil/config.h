/* SPDX-License-Identifier: MIT
 *
 * config.h - what the environment asks for.
 */
#ifndef DWELL_RUNTIME_PROFIL_CONFIG_H
#define DWELL_RUNTIME_PROFIL_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

struct config {
	uint32_t hz;       /* PROFIL_HZ; 100 where it is not set */
	const char *clock; /* PROFIL_CLOCK; NULL: the best there is */
};

/* False: PROFIL_HZ is no number from 1 to LIMIT_HZ. */
bool config_read(struct config *config);

/* PROFIL_DIALECT as PROFIL_LINUX, PROFIL_BSD or PROFIL_SOLARIS of <profil.h>; 0: none of these. */
int config_dialect(void);

#endif
