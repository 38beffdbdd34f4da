/* SPDX-License-Identifier: MIT
 *
 * chunk.h - the part of a recording that is stored at once: an hour of one run. One INSERT stores
 * all its samples or none, and each row has the chunk's number: so a chunk that was sent before,
 * with a response or without, is recognised and not stored again.
 */
#ifndef DWELL_FLEET_CHUNK_H
#define DWELL_FLEET_CHUNK_H

#include "piece.h"
#include "server.h"

struct load_chunk {
	char *server, *database; /* that it goes to */
	char *service, *host;    /* that it comes from */
	uint32_t hour;           /* its start, in seconds of the epoch */
	uint64_t number;
	uint64_t samples;
	size_t row_count, stack_count;
	char *rows, *stacks; /* for INSERT */
	size_t rows_size, stacks_size;
};

/* Returns the row behind the chunk that begins at a row. */
size_t chunk_end(const struct piece *piece, size_t from);

/* Makes the chunk of these rows, for the server that its host's chunks go to. On success, free with
 * chunk_free(), as after the next. */
int chunk_make(struct load_chunk *chunk, const struct piece *piece, size_t from, size_t until,
	       const struct server_url *url, struct err *err);

/* Reads what chunk_write() wrote. Returns -EINVAL if it is damaged. */
int chunk_read(struct load_chunk *chunk, const void *bytes, size_t size, struct err *err);
void chunk_write(const struct load_chunk *chunk, FILE *out);
void chunk_free(struct load_chunk *chunk);

enum chunk_outcome { CHUNK_STORED, CHUNK_KNOWN };

/* Stores a chunk, unless it is there. Returns 0, or -errno: then it is there or not, and can be
 * sent again. -EEXIST: it was stored when it had fewer samples. */
int chunk_send(const struct load_chunk *chunk, const struct server *server,
	       enum chunk_outcome *outcome, struct err *err);

/* Returns the server for chunks of a host: always the same one of the same servers, in whatever
 * order they are given. */
const char *chunk_server(const struct server_url *url, const char *host);

#endif
