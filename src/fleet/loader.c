/* SPDX-License-Identifier: MIT */
#include "loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".chunk"

int loader_init(struct loader *loader, const struct server_url *url, const char *spool,
		struct err *err)
{
	int status = 0;

	*loader = (struct loader){ .url = url,
				   .spool = spool,
				   .servers = calloc(url->count, sizeof(*loader->servers)),
				   .is_away = calloc(url->count, sizeof(*loader->is_away)) };
	if (!loader->servers || !loader->is_away)
		status = err_no_memory(err);
	for (size_t i = 0; i < url->count && !status; i++)
		status = server_open(&loader->servers[i], url, url->hosts[i], err);
	if (status)
		loader_fini(loader);
	return status;
}

void loader_fini(struct loader *loader)
{
	for (size_t i = 0; loader->servers && i < loader->url->count; i++)
		server_close(&loader->servers[i]);
	free(loader->servers);
	free(loader->is_away);
	loader->servers = NULL;
	loader->is_away = NULL;
}

/* Sends a chunk to its server. Returns -ENOTCONN if that has failed before, -ENODEV if the URL does
 * not name it. */
static int send_chunk(struct loader *loader, const struct load_chunk *chunk, struct err *err)
{
	enum chunk_outcome outcome;
	int status;

	for (size_t i = 0; i < loader->url->count; i++) {
		if (strcmp(loader->url->hosts[i], chunk->server) != 0)
			continue;
		if (loader->is_away[i])
			return -ENOTCONN;
		status = server_check(&loader->servers[i], err);
		if (!status)
			status = chunk_send(chunk, &loader->servers[i], &outcome, err);
		loader->is_away[i] = status && status != -EEXIST;
		if (status)
			return status;
		if (outcome == CHUNK_KNOWN) {
			loader->totals.known++;
			return 0;
		}
		loader->totals.stored++;
		loader->totals.rows += chunk->row_count;
		loader->totals.samples += chunk->samples;
		return 0;
	}
	return -ENODEV;
}

/* Makes a folder and those above it, for this user alone. */
static int make_folder(const char *path, struct err *err)
{
	char *copy = strdup(path);

	if (!copy)
		return err_no_memory(err);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	return err_set(err, errno, "cannot create the spool '%s': %s", path, strerror(errno));
}

static int write_file(const struct load_chunk *chunk, const char *path)
{
	FILE *file = fopen(path, "wxe");
	int status;

	if (!file)
		return -errno;
	chunk_write(chunk, file);
	status = fflush(file) || fsync(fileno(file)) || ferror(file) ? -errno : 0;
	if (fclose(file) && !status)
		status = -errno;
	return status;
}

/* Keeps a chunk in the spool, whole or not at all. The name is the chunk's number: kept twice, it
 * is there once. */
static int keep(struct loader *loader, const struct load_chunk *chunk, struct err *err)
{
	char *path = NULL, *temporary = NULL;
	int status = make_folder(loader->spool, err);

	if (status)
		return status;
	if (asprintf(&path, "%s/%016" PRIx64 SUFFIX, loader->spool, chunk->number) < 0 ||
	    asprintf(&temporary, "%s.%d", path, (int)getpid()) < 0) {
		free(path);
		return err_no_memory(err);
	}
	status = write_file(chunk, temporary);
	if (!status && rename(temporary, path))
		status = -errno;
	if (status) {
		unlink(temporary);
		err_set(err, -status, "cannot write '%s': %s", path, strerror(-status));
	} else {
		loader->totals.spooled++;
	}
	free(path);
	free(temporary);
	return status;
}

int loader_send(struct loader *loader, const struct piece *piece, struct err *err)
{
	int status = 0;

	for (size_t from = 0, until; from < piece->count && !status; from = until) {
		struct load_chunk chunk;

		until = chunk_end(piece, from);
		status = chunk_make(&chunk, piece, from, until, loader->url, err);
		if (status)
			return status;
		status = send_chunk(loader, &chunk, err);
		if (status && status != -EEXIST) {
			if (status != -ENOTCONN)
				loader->last = *err;
			status = keep(loader, &chunk, err);
		}
		chunk_free(&chunk);
	}
	return status;
}

/* Reads a whole file; free with free(). */
static int read_file(const char *path, char **bytes, size_t *size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat about;
	ssize_t got = 0;

	*bytes = NULL;
	*size = 0;
	if (fd < 0 || fstat(fd, &about))
		return err_set(err, errno, "cannot open '%s': %s", path, strerror(errno));
	*bytes = S_ISREG(about.st_mode) ? malloc((size_t)about.st_size + 1) : NULL;
	for (; *bytes && *size < (size_t)about.st_size; *size += (size_t)got) {
		got = read(fd, *bytes + *size, (size_t)about.st_size - *size);
		if (got <= 0)
			break;
	}
	close(fd);
	if (!*bytes || got < 0)
		return err_set(err, EIO, "cannot read '%s'", path);
	return 0;
}

/* Sends one file of the spool and removes it, or leaves it there. */
static int send_file(struct loader *loader, const char *path, struct err *err)
{
	struct load_chunk chunk;
	struct err why;
	char *bytes;
	size_t size;
	int status = read_file(path, &bytes, &size, err);

	if (!status && chunk_read(&chunk, bytes, size, &why)) {
		free(bytes);
		return err_set(err, EINVAL, "'%s' in the spool %s: move it away", path, why.text);
	}
	free(bytes);
	if (status)
		return status;
	status = strcmp(chunk.database, loader->url->database) == 0
			 ? send_chunk(loader, &chunk, err)
			 : -ENODEV;
	if (!status)
		unlink(path);
	else if (status != -ENODEV)
		loader->totals.spooled++;
	if (status && status != -ENODEV && status != -ENOTCONN)
		loader->last = *err;
	chunk_free(&chunk);
	return 0;
}

static int is_chunk(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > strlen(SUFFIX) &&
	       strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

int loader_send_spool(struct loader *loader, struct err *err)
{
	struct dirent **entries;
	int count = scandir(loader->spool, &entries, is_chunk, alphasort), status = 0;

	if (count < 0)
		return errno == ENOENT ? 0
				       : err_set(err, errno, "cannot read the spool '%s': %s",
						 loader->spool, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *path = NULL;

		if (!status && asprintf(&path, "%s/%s", loader->spool, entries[i]->d_name) < 0)
			status = err_no_memory(err);
		if (!status)
			status = send_file(loader, path, err);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}
