/* SPDX-License-Identifier: MIT */
#include "specs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

/* Adds a spec that is not in the list, or replaces an equal one that has matched nothing. */
static int take(struct specs *specs, struct hash *by_text, const struct record_spec *spec)
{
	const struct record_spec **more;

	/* Others with the same key have the next keys. */
	for (uint64_t key = hash_bytes(spec->role, spec->text, strlen(spec->text));; key++) {
		uint32_t *place = hash_place(by_text, key);

		if (!place)
			return -ENOMEM;
		if (*place == HASH_NONE) {
			more = vec_room(specs->list, specs->count, sizeof(*more));
			if (!more)
				return -ENOMEM;
			specs->list = more;
			*place = (uint32_t)specs->count;
			specs->list[specs->count++] = spec;
			return 0;
		}
		if (specs->list[*place]->role != spec->role ||
		    strcmp(specs->list[*place]->text, spec->text) != 0)
			continue;
		if (spec->matched)
			specs->list[*place] = spec;
		return 0;
	}
}

static int take_all(struct specs *specs, struct hash *by_text, const struct reader *reader)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct record_item *item = NULL;

		if (reader->segments[i].kind != RECORD_SETUP)
			continue;
		while (!status && (item = reader_next(&reader->segments[i], item)))
			if (item->kind == RECORD_SPEC)
				status = take(specs, by_text, (const struct record_spec *)item);
	}
	return status;
}

int specs_unmatched(struct specs *specs, const struct reader *reader, struct err *err)
{
	struct hash by_text = { 0 };
	size_t kept = 0;
	int status;

	*specs = (struct specs){ 0 };
	status = take_all(specs, &by_text, reader);
	hash_free(&by_text);
	for (size_t i = 0; i < specs->count; i++)
		if (!specs->list[i]->matched)
			specs->list[kept++] = specs->list[i];
	specs->count = kept;
	if (status)
		specs_free(specs);
	return status ? err_no_memory(err) : 0;
}

void specs_free(struct specs *specs)
{
	free(specs->list);
	*specs = (struct specs){ 0 };
}
