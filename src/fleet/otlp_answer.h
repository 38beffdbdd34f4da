/* SPDX-License-Identifier: MIT
 *
 * otlp_answer.h - the response of a receiver of OTLP: a message of type
 * ExportProfilesServiceResponse. Foreign bytes.
 */
#ifndef DWELL_FLEET_OTLP_ANSWER_H
#define DWELL_FLEET_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct otlp_answer {
	uint64_t rejected; /* profiles */
	char message[256]; /* why, or a warning; "": none; may be truncated, any bytes but 0 */
};

/* Parses it. Returns false if it is another kind of message. */
bool otlp_answer_parse(struct otlp_answer *answer, const char *bytes, size_t size);

#endif
