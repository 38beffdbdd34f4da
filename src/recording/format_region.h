/* SPDX-License-Identifier: MIT
 *
 * format_region.h - parts of a run that the program names itself; a part of format.h. Include that.
 */
#ifndef DWELL_RECORDING_FORMAT_REGION_H
#define DWELL_RECORDING_FORMAT_REGION_H

#include "recording/format.h"

/* The frames of regions: they are the outermost of a stack, behind those of functions, and the
 * region that was begun first is the last of them. Their addresses are below all that a program can
 * have, on any CPU: the kernel maps nothing there. A frame at such an address is one only if its
 * process has a REGION of that number. */
#define RECORD_REGIONS_START 4096
#define RECORD_REGIONS_MAX   1024

#define RECORD_REGION_BYTES 64 /* of a name, with its final 0; longer ones are cut */

struct record_region {
	struct record_item item;
	uint32_t number; /* below RECORD_REGIONS_MAX; valid in its process */
	uint32_t reserved;
	char name[]; /* with its final 0 */
};
_Static_assert(sizeof(struct record_region) % 8 == 0, "items are aligned to 8 bytes");

#endif
