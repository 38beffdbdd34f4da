/* SPDX-License-Identifier: MIT */
#include "symbol/source_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Returns true if the last component written is a name that ".." can remove. */
static bool can_go_up(const char *path, const char *end)
{
	size_t length = (size_t)(end - path);

	if (length == 0 || (length == 1 && *path == '/'))
		return false;
	return !(length >= 2 && memcmp(end - 2, "..", 2) == 0 && (length == 2 || end[-3] == '/'));
}

static char *go_up(char *path, char *end)
{
	while (end > path && end[-1] != '/')
		end--;
	/* The slash goes too, except for the first. */
	return end > path + 1 ? end - 1 : end;
}

static char *append(char *path, char *end, const char *name, size_t length)
{
	if (end > path && end[-1] != '/')
		*end++ = '/';
	memcpy(end, name, length);
	return end + length;
}

/* Cleans a path; the result is at most as long as the text. */
static void clean(char *path, const char *text)
{
	char *end = path;

	if (*text == '/')
		*end++ = '/';
	while (*text) {
		size_t length;

		text += strspn(text, "/");
		length = strcspn(text, "/");
		if (length == 2 && memcmp(text, "..", 2) == 0 && can_go_up(path, end))
			end = go_up(path, end);
		else if (length && !(length == 1 && *text == '.'))
			end = append(path, end, text, length);
		text += length;
	}
	*end = '\0';
}

/* Returns the index of a cleaned path in the list, adding it if new; HASH_NONE: no memory. Takes
 * ownership of the path. */
static uint32_t intern(struct source_paths *paths, char *path)
{
	uint64_t key = hash_bytes(0, path, strlen(path));
	uint32_t *place;
	char **more;

	while ((place = hash_place(&paths->by_text, key)) && *place != HASH_NONE &&
	       strcmp(paths->list[*place], path) != 0)
		key++;
	if (place && *place != HASH_NONE) {
		free(path);
		return *place;
	}
	more = place ? vec_room(paths->list, paths->count, sizeof(*more)) : NULL;
	if (!more) {
		free(path);
		return HASH_NONE;
	}
	paths->list = more;
	paths->list[paths->count] = path;
	*place = (uint32_t)paths->count++;
	return *place;
}

static char *make(const char *folder, const char *text)
{
	char *whole, *path;
	int size = *text == '/' || !folder ? asprintf(&whole, "%s", text)
					   : asprintf(&whole, "%s/%s", folder, text);

	if (size < 0)
		return NULL;
	path = malloc((size_t)size + 1);
	if (path)
		clean(path, whole);
	free(whole);
	return path;
}

const char *source_paths_find(struct source_paths *paths, const char *folder, const char *text)
{
	uint32_t *place = hash_place(&paths->by_pointer, (uintptr_t)text);
	char *path;

	if (!place)
		return NULL;
	if (*place == HASH_NONE) {
		path = make(folder, text);
		if (!path)
			return NULL;
		*place = intern(paths, path);
	}
	return *place == HASH_NONE ? NULL : paths->list[*place];
}

void source_paths_free(struct source_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->list[i]);
	free(paths->list);
	hash_free(&paths->by_pointer);
	hash_free(&paths->by_text);
	*paths = (struct source_paths){ 0 };
}
