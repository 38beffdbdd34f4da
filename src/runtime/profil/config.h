/* SPDX-License-Identifier: MIT
 *
 * config.h - what the environment asks for.
 */
#ifndef DWELL_RUNTIME_PROFIL_CONFIG_H
#define DWELL_RUNTIME_PROFIL_CONFIG_H

#include "runtime/sampler/sampler.h"

/* Reads PROFIL_HZ, which is 100 where it is not set and 0 where it is invalid, and PROFIL_CLOCK,
 * which is NULL where it is not set. The name stays as long as the variable. */
struct sampler_setting config_read(void);

/* PROFIL_DIALECT as PROFIL_LINUX, PROFIL_BSD or PROFIL_SOLARIS of <profil.h>; 0: none of these. */
int config_dialect(void);

#endif
