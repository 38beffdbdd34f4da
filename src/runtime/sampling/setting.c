/* SPDX-License-Identifier: MIT
 *
 * setting.c - what the sampler is asked for, from the recording in place of the environment.
 */
#include "runtime/profil/config.h"
#include "base/limits.h"
#include "recording/write/room.h"

bool config_read(struct config *config)
{
	const struct record_header *header = room_header();

	config->hz = header->hz;
	config->clock = header->sampling_clock[0] ? header->sampling_clock : NULL;
	return config->hz > 0 && config->hz <= LIMIT_HZ;
}
