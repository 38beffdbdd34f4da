/* SPDX-License-Identifier: MIT */
#include "kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/vec.h"

#define BLOCK_BYTES ((size_t)1 << 20)
#define BYTES_MAX   ((size_t)1 << 30)

/* Reads all of a file whose size is not known. Returns 0 or -errno. */
static int read_all(const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t got = 1;
	int status = fd < 0 ? -errno : 0;

	*text = NULL;
	while (!status && got > 0 && size < BYTES_MAX) {
		char *more = realloc(*text, size + BLOCK_BYTES + 1);

		if (!more) {
			status = -ENOMEM;
			break;
		}
		*text = more;
		got = read(fd, more + size, BLOCK_BYTES);
		if (got < 0)
			status = -errno;
		size += got > 0 ? (size_t)got : 0;
		more[size] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/* Cuts the name of a module out of its brackets; NULL: there is none. */
static char *cut_module(char *name)
{
	char *module = strchr(name, '\t');

	if (module)
		*module++ = '\0';
	return module && *module == '[' ? module : NULL;
}

/* Reads one line. Returns false if it is not about a function. */
static bool read_line(char *line, struct kallsyms_function *function)
{
	char *at;

	*function = (struct kallsyms_function){ .start = strtoull(line, &at, 16) };
	if (at == line || at[0] != ' ' || !at[1] || !strchr("tTwW", at[1]) || at[2] != ' ' ||
	    !at[3])
		return false;
	function->name = at + 3;
	function->module = cut_module(at + 3);
	return function->start;
}

static int by_start(const void *left, const void *right)
{
	const struct kallsyms_function *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

int kallsyms_read(struct kallsyms *kallsyms, const char *path)
{
	char *line = NULL, *rest;
	int status;

	*kallsyms = (struct kallsyms){ 0 };
	status = read_all(path, &kallsyms->text);
	if (!status)
		line = strtok_r(kallsyms->text, "\n", &rest);
	for (; line; line = strtok_r(NULL, "\n", &rest)) {
		struct kallsyms_function *more =
			vec_room(kallsyms->list, kallsyms->count, sizeof(*more));

		if (!more) {
			status = -ENOMEM;
			break;
		}
		kallsyms->list = more;
		kallsyms->count += read_line(line, &more[kallsyms->count]);
	}
	if (!status && !kallsyms->count)
		status = -ENODATA;
	if (status)
		kallsyms_free(kallsyms);
	else
		qsort(kallsyms->list, kallsyms->count, sizeof(*kallsyms->list), by_start);
	return status;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	free(kallsyms->list);
	free(kallsyms->text);
	*kallsyms = (struct kallsyms){ 0 };
}

bool kallsyms_has_addresses(const char *path)
{
	char line[256];
	FILE *in = fopen(path, "re");
	bool has = in && fgets(line, sizeof(line), in) && strtoull(line, NULL, 16);

	if (in)
		fclose(in);
	return has;
}

static uint64_t start_at(const void *list, size_t i)
{
	return ((const struct kallsyms_function *)list)[i].start;
}

const struct kallsyms_function *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
					      uint64_t *end)
{
	size_t next = bisect(start_at, kallsyms->list, kallsyms->count, address), first = next;

	if (!next)
		return NULL;
	/* The first of several names of a place is taken. */
	while (first > 1 && kallsyms->list[first - 2].start == kallsyms->list[next - 1].start)
		first--;
	*end = next < kallsyms->count ? kallsyms->list[next].start : UINT64_MAX;
	return &kallsyms->list[first - 1];
}
