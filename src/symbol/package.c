/* SPDX-License-Identifier: MIT */
#include "symbol/package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define USR    "/usr"
#define SUFFIX ".list"
#define OFFERS "_Packages"
#define FIELD  "Package: "

/* Compares paths. Files in /usr/lib may be listed under /lib, which leads there. */
static bool is_of(const char *path, const char *line, size_t size)
{
	size_t length = strlen(path), usr = strlen(USR);

	if (length == size && memcmp(path, line, size) == 0)
		return true;
	return length == size + usr && strncmp(path, USR "/", usr + 1) == 0 &&
	       memcmp(path + usr, line, size) == 0;
}

/* Sets the name from that of a list. */
static void set_name(struct package_query *query, const char *list)
{
	size_t length = strcspn(list, ":");

	if (!list[length])
		length -= strlen(SUFFIX);
	snprintf(query->name, sizeof(query->name), "%.*s", (int)length, list);
}

static void read_list(FILE *file, const char *list, struct package_query *queries, size_t count)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, file)) > 0) {
		size -= line[size - 1] == '\n';
		for (size_t i = 0; i < count; i++)
			if (is_of(queries[i].path, line, (size_t)size))
				set_name(&queries[i], list);
	}
	free(line);
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name);

	return length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
}

static bool is_version(char c)
{
	return (c >= '0' && c <= '9') || c == '.';
}

/* Returns the length of "python3.11" in a name like "python3.11-minimal"; 0: none. */
static int python_length(const char *name)
{
	const char *at = name, *word = "python";
	bool has_dot = false;

	for (; *word && *at == *word; at++)
		word++;
	if (*word)
		return 0;
	for (; is_version(*at); at++)
		has_dot = has_dot || *at == '.';
	return has_dot ? (int)(at - name) : 0;
}

const char *package_debug(char text[PACKAGE_DEBUG_BYTES], const char *name)
{
	const char *base = strncmp(name, "lib", 3) == 0 ? name + 3 : name;
	int length = python_length(base);

	if (length)
		snprintf(text, PACKAGE_DEBUG_BYTES, "%.*s-dbg", length, base);
	else
		snprintf(text, PACKAGE_DEBUG_BYTES, "%s-%s", name,
			 strcmp(name, "libc6") == 0 ? "dbg" : "dbgsym");
	return text;
}

/* Returns NULL if it is not one of these, or cannot be read. */
static FILE *open_list(DIR *lists, const char *name, const char *suffix)
{
	int fd = ends_with(name, suffix)
			 ? openat(dirfd(lists), name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
			 : -1;
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

void package_find(const char *folder, struct package_query *queries, size_t count)
{
	DIR *lists = count ? opendir(folder) : NULL;
	struct dirent *entry;

	for (size_t i = 0; i < count; i++)
		queries[i].name[0] = '\0';
	while (lists && (entry = readdir(lists))) {
		FILE *file = open_list(lists, entry->d_name, SUFFIX);

		if (file) {
			read_list(file, entry->d_name, queries, count);
			fclose(file);
		}
	}
	if (lists)
		closedir(lists);
}

/* Returns the number of requested offers not yet known. */
static size_t open_offers(const struct package_offer *offers, size_t count)
{
	size_t open = 0;

	for (size_t i = 0; i < count; i++)
		open += *offers[i].name && !offers[i].is_known;
	return open;
}

static void read_offers(FILE *file, struct package_offer *offers, size_t count)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&line, &room, file)) > 0) {
		if (strncmp(line, FIELD, strlen(FIELD)) != 0)
			continue;
		line[size - (line[size - 1] == '\n')] = '\0';
		for (size_t i = 0; i < count; i++)
			if (strcmp(line + strlen(FIELD), offers[i].name) == 0)
				offers[i].is_known = true;
	}
	free(line);
}

/* Reads the lists while something is left to find. Returns whether all of them could be read. */
static bool read_all_offers(DIR *lists, struct package_offer *offers, size_t count)
{
	struct dirent *entry;
	bool is_complete = true;

	while (open_offers(offers, count) && (entry = readdir(lists))) {
		FILE *file = open_list(lists, entry->d_name, OFFERS);

		if (file) {
			read_offers(file, offers, count);
			fclose(file);
		} else if (strstr(entry->d_name, OFFERS)) {
			is_complete = false;
		}
	}
	return is_complete;
}

/* Opens apt's lists, which are 80 MB in Debian 13, only if there is something to find. */
void package_offered(const char *folder, struct package_offer *offers, size_t count)
{
	bool is_complete = false;
	DIR *lists;

	for (size_t i = 0; i < count; i++)
		offers[i].is_known = offers[i].is_unsure = false;
	if (!open_offers(offers, count))
		return;
	lists = opendir(folder);
	if (lists) {
		is_complete = read_all_offers(lists, offers, count);
		closedir(lists);
	}
	for (size_t i = 0; i < count; i++)
		offers[i].is_unsure = *offers[i].name && !offers[i].is_known && !is_complete;
}
