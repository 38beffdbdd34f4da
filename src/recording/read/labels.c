/* SPDX-License-Identifier: MIT */
#include "labels.h"

#include <string.h>

const struct record_label *labels_next(const struct reader_segment *setup,
				       const struct record_label *previous)
{
	const struct record_item *item = (const struct record_item *)previous;

	while ((item = reader_next(setup, item)))
		if (item->kind == RECORD_LABEL)
			return (const struct record_label *)item;
	return NULL;
}

const char *labels_value(const struct record_label *label)
{
	return reader_second_text(label->text);
}

const char *labels_find(const struct reader_segment *setup, const char *key)
{
	const struct record_label *label = NULL;

	while (setup && (label = labels_next(setup, label)))
		if (strcmp(label->text, key) == 0)
			return labels_value(label);
	return NULL;
}

const char *labels_of(const struct reader *reader, const struct reader_segment *process,
		      const char *key)
{
	const char *own = labels_find(process, key);

	return own ? own : labels_find(reader_setup_of(reader, process), key);
}
