/* SPDX-License-Identifier: MIT
 *
 * resource.h - the subject of a recording in OpenTelemetry's words: the attributes of each of its
 * runs, and a number that stays the same however often it is read.
 *
 * The first source that has a key wins: the user's labels, OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES, the recording's own labels, variables of Kubernetes' downward API, and
 * at last what is known about the program and the machine.
 */
#ifndef DWELL_OUTPUT_EXPORT_RESOURCE_H
#define DWELL_OUTPUT_EXPORT_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/label_list.h"
#include "recording/read/reader.h"

#define RESOURCE_ID_BYTES 16
#define RESOURCE_ID_TEXT  (2 * RESOURCE_ID_BYTES + 1)

/* Keys that receivers rely on. */
#define RESOURCE_SERVICE  "service.name"
#define RESOURCE_HOST     "host.name"
#define RESOURCE_VERSION  "service.version"
#define RESOURCE_BUILD_ID "process.executable.build_id.gnu"

/* One run: all processes that have the same SETUP. */
struct resource {
	const struct reader_segment *setup; /* NULL: the recording has none */
	uint32_t machine; /* where its pids are valid: see recording/read/runs.h */
	struct label_list attributes;
};

/* At least one. Free with resources_free(). */
struct resources {
	struct resource *list;
	size_t count;
	struct hash by_process; /* head of a PROCESS -> index; empty if there is one run */
	uint8_t id[RESOURCE_ID_BYTES];
};

/* Returns the number of a recording by its header alone: that of most recordings. */
void resource_header_id(const struct record_header *header, uint8_t id[RESOURCE_ID_BYTES]);

/* Prints it in hexadecimal digits. */
void resource_print_id(const uint8_t id[RESOURCE_ID_BYTES], char text[RESOURCE_ID_TEXT]);

/* Finds the attributes of all runs. given: the user's labels; may be NULL. The reader must outlive
 * the result. */
int resources_read(struct resources *resources, const struct reader *reader,
		   const struct label_list *given, struct err *err);
void resources_free(struct resources *resources);

/* Return the index of the run that a process belongs to, by the file offset of its segment, or by
 * what follows the head of that. */
size_t resources_of(const struct resources *resources, const struct reader *reader,
		    uint64_t process);
size_t resources_of_process(const struct resources *resources,
			    const struct record_process *process);

/* Gives a recording that may still grow another number than the whole one will have. */
void resource_mark_incomplete(struct resources *resources, const struct reader *reader);

/* Returns whether all runs have the same value of a key. */
bool resources_agree(const struct resources *resources, const char *key);

/* Makes a number for a part of the recording: a run, and one of its kinds of values. */
void resource_derive_id(const struct resources *resources, uint32_t run, uint32_t value,
			uint8_t id[RESOURCE_ID_BYTES]);

#endif
