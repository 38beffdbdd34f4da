/* SPDX-License-Identifier: MIT
 *
 * config.h - settings from the environment.
 */
#ifndef DWELL_RUNTIME_PROFIL_CONFIG_H
#define DWELL_RUNTIME_PROFIL_CONFIG_H

#include "runtime/sampler/sampler.h"

/*
 * Reads PROFIL_HZ (100 if not set, 0 if invalid) and PROFIL_CLOCK (NULL if not set). The name stays
 * valid as long as the variable.
 */
struct sampler_setting config_read(void);

/*
 * Returns PROFIL_DIALECT as PROFIL_LINUX, PROFIL_BSD or PROFIL_SOLARIS of <profil.h>; 0: none of
 * these.
 */
int config_dialect(void);

#endif
