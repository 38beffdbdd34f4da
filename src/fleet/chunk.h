/* SPDX-License-Identifier: MIT
 *
 * chunk.h - the part of a recording that is stored at once: the samples of an hour of one run, or
 * the calls of a run. One INSERT stores all its rows or none, and the first row is its receipt,
 * with the chunk's number and no samples: so a chunk that was sent before, with a response or
 * without, is recognised and not stored again.
 */
#ifndef DWELL_FLEET_CHUNK_H
#define DWELL_FLEET_CHUNK_H

#include "piece.h"
#include "server.h"
#include "spool_file.h"

enum chunk_table { CHUNK_SAMPLES, CHUNK_CALLS, CHUNK_TABLES };

struct load_chunk {
	enum chunk_table table;
	char *service, *host; /* that it comes from */
	uint32_t hour;        /* its start, in seconds of the epoch */
	uint64_t number;
	uint64_t amount; /* samples, or calls */
	uint64_t whole;  /* the sum that the receipt contains: samples, or events of calls */
	size_t row_count;
	char *rows, *stacks; /* for INSERT; calls have no stacks */
	size_t rows_size, stacks_size;
};

/* The rows of a chunk: of the piece's samples, or of its calls. */
struct chunk_part {
	enum chunk_table table;
	size_t from, until;
};

/* Returns the rows of the next chunk, the first if previous is NULL; none: there are no more. */
struct chunk_part chunk_next(const struct piece *piece, const struct chunk_part *previous);

/* Makes the chunk of these rows. On success, free with chunk_free(), as after chunk_read(). */
int chunk_make(struct load_chunk *chunk, const struct piece *piece, const struct chunk_part *part,
	       struct err *err);

/* Makes a message for the spool of a server. On success, free with spool_message_free(). */
int chunk_write(const struct load_chunk *chunk, const char *url, struct spool_message *message,
		struct err *err);

/* Reads the body of such a message. Returns -EINVAL if it is damaged. */
int chunk_read(struct load_chunk *chunk, const void *bytes, size_t size, struct err *err);
void chunk_free(struct load_chunk *chunk);

enum chunk_outcome { CHUNK_STORED, CHUNK_KNOWN };

/* Stores a chunk, unless it is there. Returns 0, or -errno: then it is there or not, and can be
 * sent again. -EEXIST: it was stored when it had less. */
int chunk_send(const struct load_chunk *chunk, const struct server *server,
	       enum chunk_outcome *outcome, struct err *err);

/* Returns the index of the server for chunks of a host: always the same one of the same servers, in
 * whatever order they are given. */
size_t chunk_server(const struct server_url *url, const char *host);

#endif
