/* SPDX-License-Identifier: MIT */
#include "merge_answers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* An item may have 1 MiB; these stay well below. */
#define PLACES_IN_ITEM 8192

/* An archive being added. */
struct taking {
	struct merge_answers *answers;
	uint32_t run;    /* of its first one */
	uint32_t *files; /* its numbers -> index of its merge_file */
	size_t file_count;
	const char **texts; /* by its numbers */
	size_t text_count;
	uint32_t *symbols,
		*sources; /* its numbers -> index of its merge_text; HASH_NONE: not yet */
};

/* ---- files ---- */

static bool is_made(const struct record_file *file)
{
	return file->state == RECORD_FILE_MADE;
}

static uint64_t key_of_file(const struct record_file *file)
{
	uint64_t key = hash_bytes(is_made(file), file->path, strlen(file->path));

	if (is_made(file))
		return hash_bytes(hash_bytes(key, &file->pid, sizeof(file->pid)), &file->run,
				  sizeof(file->run));
	return hash_bytes(key, file->build_id, file->build_id_size);
}

static bool is_same_file(const struct record_file *a, const struct record_file *b)
{
	if (is_made(a) || is_made(b))
		return is_made(a) && is_made(b) && a->pid == b->pid && a->run == b->run;
	return strcmp(a->path, b->path) == 0 && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* Puts a copy in place of a file's record, or of none. */
static int keep_file(struct merge_file *file, const struct record_file *record)
{
	struct record_file *copy = malloc(record->item.size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, record, record->item.size);
	free(file->record);
	file->record = copy;
	return 0;
}

/* Returns true if another machine knew more about the same file. */
static bool is_better(const struct record_file *record, const struct record_file *known)
{
	if (record->is_full != known->is_full)
		return record->is_full;
	return record->state == RECORD_FILE_OPEN && known->state != RECORD_FILE_OPEN;
}

static int add_file(struct merge_answers *answers, const struct record_file *record,
		    uint32_t *number)
{
	struct merge_file *more;

	/* Others with the same key have the next keys. */
	for (uint64_t key = key_of_file(record);; key++) {
		uint32_t *place = hash_place(&answers->by_name, key);

		if (!place)
			return -ENOMEM;
		*number = *place;
		if (*place == HASH_NONE) {
			more = vec_room(answers->files, answers->file_count, sizeof(*more));
			if (!more)
				return -ENOMEM;
			answers->files = more;
			more[answers->file_count] = (struct merge_file){ 0 };
			*number = *place = (uint32_t)answers->file_count++;
			return keep_file(&more[*number], record);
		}
		more = &answers->files[*number];
		if (is_same_file(more->record, record))
			return is_better(record, more->record) ? keep_file(more, record) : 0;
	}
}

static int take_file(struct taking *taking, const struct record_item *item)
{
	struct record_file *copy = malloc(item->size);
	uint32_t *more = vec_room(taking->files, taking->file_count, sizeof(*more));
	int status = -ENOMEM;

	if (more)
		taking->files = more;
	if (copy && more) {
		memcpy(copy, item, item->size);
		copy->run = is_made(copy) ? copy->run + taking->run : 0;
		status = add_file(taking->answers, copy, &more[taking->file_count++]);
	}
	free(copy);
	return status;
}

/* ---- texts ---- */

static uint64_t key_of_text(const struct merge_text *text)
{
	uint64_t key = hash_bytes(text->start, text->text, strlen(text->text));

	key = hash_bytes(key, &text->file, sizeof(text->file));
	return hash_bytes(key, &text->source, sizeof(text->source));
}

static bool is_same_text(const struct merge_text *a, const struct merge_text *b)
{
	return a->file == b->file && a->start == b->start && a->source == b->source &&
	       strcmp(a->text, b->text) == 0;
}

static int add_text(struct merge_answers *answers, struct merge_text text, uint32_t *number)
{
	struct merge_text *more;

	for (uint64_t key = key_of_text(&text);; key++) {
		uint32_t *place = hash_place(&answers->by_text, key);

		if (!place)
			return -ENOMEM;
		*number = *place;
		if (*place != HASH_NONE && is_same_text(&answers->texts[*place], &text))
			return 0;
		if (*place != HASH_NONE)
			continue;
		more = vec_room(answers->texts, answers->text_count, sizeof(*more));
		text.text = strdup(text.text);
		if (more)
			answers->texts = more;
		if (!more || !text.text) {
			free(text.text);
			return -ENOMEM;
		}
		*number = *place = (uint32_t)answers->text_count;
		answers->texts[answers->text_count++] = text;
		return 0;
	}
}

static int take_text(struct taking *taking, const struct record_item *item)
{
	const char **more = vec_room(taking->texts, taking->text_count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	taking->texts = more;
	taking->texts[taking->text_count++] = ((const struct record_text *)item)->text;
	return 0;
}

/* Finds the new number of a source file. */
static int find_source(struct taking *taking, uint32_t old, uint32_t *number)
{
	struct merge_text text = { .file = MERGE_SOURCE };

	*number = RECORD_NO_TEXT;
	if (old >= taking->text_count)
		return 0;
	text.text = (char *)taking->texts[old];
	if (taking->sources[old] == HASH_NONE &&
	    add_text(taking->answers, text, &taking->sources[old]))
		return -ENOMEM;
	*number = taking->sources[old];
	return 0;
}

/* Finds the new number of a function's name. The archive has one for each function, so its first
 * place decides for all. */
static int find_symbol(struct taking *taking, const struct record_place *place, uint32_t file,
		       uint32_t source, uint32_t *number)
{
	struct merge_text text = { .file = file,
				   .start = place->start,
				   .source = place->start ? RECORD_NO_TEXT : source };

	*number = RECORD_NO_TEXT;
	if (place->symbol >= taking->text_count)
		return 0;
	text.text = (char *)taking->texts[place->symbol];
	if (taking->symbols[place->symbol] == HASH_NONE &&
	    add_text(taking->answers, text, &taking->symbols[place->symbol]))
		return -ENOMEM;
	*number = taking->symbols[place->symbol];
	return 0;
}

/* ---- places ---- */

/* Returns how many places form one result. */
static uint32_t chain_of(const struct record_place *places, uint32_t left)
{
	uint32_t count = 1;

	while (count < left &&
	       places[count - 1].flags & (RECORD_PLACE_INLINED | RECORD_PLACE_PLAIN))
		count++;
	return count;
}

static int renumber(struct taking *taking, struct record_place *place, uint32_t file)
{
	struct record_place old = *place;

	if (find_source(taking, old.source, &place->source))
		return -ENOMEM;
	return find_symbol(taking, &old, file, place->source, &place->symbol);
}

static int append_chain(struct taking *taking, uint32_t number, const struct record_place *chain,
			uint32_t count)
{
	struct merge_file *file = &taking->answers->files[number];
	int status = 0;

	for (uint32_t i = 0; i < count && !status; i++) {
		struct record_place *more = vec_room(file->places, file->count, sizeof(*more));

		if (!more)
			return -ENOMEM;
		file->places = more;
		more[file->count] = chain[i];
		status = renumber(taking, &more[file->count++], number);
	}
	return status;
}

/* Adds the functions at one offset. A name takes precedence over none, since not every machine has
 * all debug files; the first of two names stays. */
static int add_chain(struct taking *taking, uint32_t number, const struct record_place *chain,
		     uint32_t count)
{
	struct merge_file *file = &taking->answers->files[number];
	uint32_t *place = hash_place(&file->by_offset, chain->offset);
	uint32_t is_signal = chain->flags & RECORD_PLACE_SIGNAL;
	int status = 0;

	if (!place || file->count >= HASH_NONE - count)
		return -ENOMEM;
	if (*place != HASH_NONE)
		is_signal |= file->places[*place].flags & RECORD_PLACE_SIGNAL;
	if (*place == HASH_NONE ||
	    (file->places[*place].symbol == RECORD_NO_TEXT && chain->symbol != RECORD_NO_TEXT)) {
		*place = (uint32_t)file->count;
		status = append_chain(taking, number, chain, count);
	}
	if (!status)
		file->places[*place].flags |= is_signal;
	return status;
}

/* Calls a function for each result in the archive. */
static int each_chain(struct taking *taking, const struct reader *reader,
		      int (*take)(struct taking *, uint32_t, const struct record_place *, uint32_t))
{
	int status = 0;

	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		if (reader->segments[i].kind != RECORD_ANSWERS)
			continue;
		while (!status && (item = reader_next(&reader->segments[i], item))) {
			const struct record_places *places = (const struct record_places *)item;
			uint32_t count;

			if (item->kind != RECORD_PLACES || places->file >= taking->file_count)
				continue;
			for (uint32_t at = 0; at < places->count && !status; at += count) {
				count = chain_of(&places->places[at], places->count - at);
				status = take(taking, taking->files[places->file],
					      &places->places[at], count);
			}
		}
	}
	return status;
}

/* Numbers the functions by those places that show best which ones they are. */
static int number_symbols(struct taking *taking, uint32_t file, const struct record_place *chain,
			  uint32_t count)
{
	int status = 0;

	for (uint32_t i = 0; i < count && !status; i++) {
		struct record_place place = chain[i];

		if (place.start || place.source < taking->text_count)
			status = renumber(taking, &place, file);
	}
	return status;
}

/* ---- archives ---- */

static int take_items(struct taking *taking, const struct reader_segment *segment)
{
	const struct record_item *item = NULL;
	int status = 0;

	while (!status && (item = reader_next(segment, item))) {
		if (item->kind == RECORD_FILE)
			status = take_file(taking, item);
		else if (item->kind == RECORD_TEXT)
			status = take_text(taking, item);
	}
	return status;
}

static int take_all(struct taking *taking, const struct reader *reader)
{
	int status = 0;

	for (size_t i = 0; i < reader->count && !status; i++)
		if (reader->segments[i].kind == RECORD_ANSWERS)
			status = take_items(taking, &reader->segments[i]);
	taking->symbols = malloc((taking->text_count + 1) * sizeof(*taking->symbols));
	taking->sources = malloc((taking->text_count + 1) * sizeof(*taking->sources));
	if (status || !taking->symbols || !taking->sources)
		return -ENOMEM;
	for (size_t i = 0; i < taking->text_count; i++)
		taking->symbols[i] = taking->sources[i] = HASH_NONE;
	status = each_chain(taking, reader, number_symbols);
	return status ? status : each_chain(taking, reader, add_chain);
}

int merge_answers_add(struct merge_answers *answers, const struct reader *reader, uint32_t run,
		      struct err *err)
{
	struct taking taking = { .answers = answers, .run = run };
	int status = take_all(&taking, reader);

	free(taking.files);
	free(taking.texts);
	free(taking.symbols);
	free(taking.sources);
	return status ? err_no_memory(err) : 0;
}

/* ---- items ---- */

/* Copies as many results as fit into an item, from a place on. Returns how many places that are,
 * used and unused. */
static size_t put_places(const struct merge_file *file, size_t from, struct record_places *item)
{
	size_t at = from;
	uint32_t count;

	for (; at < file->count && item->count < PLACES_IN_ITEM; at += count) {
		const struct record_place *chain = &file->places[at];
		const uint32_t *used = hash_find(&file->by_offset, chain->offset);

		count = chain_of(chain, (uint32_t)(file->count - at));
		if (!used || *used != at || item->count + count > PLACES_IN_ITEM + PLACES_IN_ITEM)
			continue;
		memcpy(&item->places[item->count], chain, count * sizeof(*chain));
		item->count += count;
	}
	return at - from;
}

static int add_places(struct item_list *items, const struct merge_file *file, uint32_t number)
{
	const size_t most =
		sizeof(struct record_places) + 2 * PLACES_IN_ITEM * sizeof(struct record_place);

	for (size_t from = 0; from < file->count;) {
		struct record_places *item = item_list_add(items, RECORD_PLACES, most);

		if (!item)
			return -ENOMEM;
		item->file = number;
		from += put_places(file, from, item);
		item->item.size = (uint32_t)(sizeof(*item) + item->count * sizeof(item->places[0]));
		items->size -= most - item->item.size;
	}
	return 0;
}

static int add_items(const struct merge_answers *answers, struct item_list *items)
{
	struct record_text *text;
	void *item;
	int status = 0;

	for (size_t i = 0; i < answers->file_count; i++) {
		const struct record_file *record = answers->files[i].record;

		item = item_list_add(items, RECORD_FILE, record->item.size);
		if (!item)
			return -ENOMEM;
		memcpy(item, record, record->item.size);
	}
	for (size_t i = 0; i < answers->text_count; i++) {
		const char *name = answers->texts[i].text;

		text = item_list_add(items, RECORD_TEXT, sizeof(*text) + strlen(name) + 1);
		if (!text)
			return -ENOMEM;
		strcpy(text->text, name);
	}
	for (size_t i = 0; i < answers->file_count && !status; i++)
		status = add_places(items, &answers->files[i], (uint32_t)i);
	return status;
}

int merge_answers_items(const struct merge_answers *answers, struct item_list *items,
			struct err *err)
{
	return add_items(answers, items) ? err_no_memory(err) : 0;
}

void merge_answers_free(struct merge_answers *answers)
{
	for (size_t i = 0; i < answers->file_count; i++) {
		free(answers->files[i].record);
		free(answers->files[i].places);
		hash_free(&answers->files[i].by_offset);
	}
	for (size_t i = 0; i < answers->text_count; i++)
		free(answers->texts[i].text);
	free(answers->files);
	free(answers->texts);
	hash_free(&answers->by_name);
	hash_free(&answers->by_text);
	*answers = (struct merge_answers){ 0 };
}
