/* SPDX-License-Identifier: MIT
 *
 * otlp_dictionary.h - the tables that all profiles of one OTLP message share: each stack, location,
 * function, mapping, attribute and string once. Number 0 of each means "none".
 */
#ifndef DWELL_OUTPUT_EXPORT_OTLP_DICTIONARY_H
#define DWELL_OUTPUT_EXPORT_OTLP_DICTIONARY_H

#include "message_table.h"
#include "model/calls/calls.h"
#include "model/profile/profile.h"
#include "string_table.h"

struct otlp_dictionary {
	const struct profile *profile; /* NULL: none */
	struct string_table strings;
	struct message_table mappings, locations, functions, links, attributes, stacks;
	uint32_t *known; /* location of a frame that is the innermost of its address; 0: none */
	struct protobuf part, inner, list; /* a message being built, and those that go into it */
	bool failed;                       /* out of memory: something is missing */
};

/* profile: that of the stacks to come; may be NULL. In either case, free with
 * otlp_dictionary_fini(). */
void otlp_dictionary_init(struct otlp_dictionary *dictionary, const struct profile *profile);
void otlp_dictionary_fini(struct otlp_dictionary *dictionary);

/* Each returns a number in its table. Strings are not copied, and must outlive the dictionary. */
uint32_t otlp_dictionary_string(struct otlp_dictionary *dictionary, const char *text);
uint32_t otlp_dictionary_stack(struct otlp_dictionary *dictionary,
			       const struct profile_stack *stack);

/* Returns the number of a stack that is one function, which was called. */
uint32_t otlp_dictionary_call(struct otlp_dictionary *dictionary, const struct calls_row *row);

/* value: NULL for a number, which must not be 0. The value may be freed afterwards, the key not. */
uint32_t otlp_dictionary_attribute(struct otlp_dictionary *dictionary, const char *key,
				   const char *value, uint64_t number);

/* Writes all tables, as a message of type ProfilesDictionary. */
void otlp_dictionary_write(struct otlp_dictionary *dictionary, struct protobuf *message);

#endif
