/* SPDX-License-Identifier: MIT
 *
 * loader.h - stores chunks on the servers of a URL. A chunk that its server does not take is kept
 * in that server's spool (spool.h), and sent by the next run: it is on its server, or in the spool,
 * or both.
 */
#ifndef DWELL_FLEET_LOADER_H
#define DWELL_FLEET_LOADER_H

#include "chunk.h"
#include "spool.h"

struct loader_totals {
	size_t stored, known;  /* chunks */
	size_t kept, rejected; /* chunks in the spool */
	size_t damaged;        /* files there that are no chunks */
	/* Sums over the stored ones, per table: */
	uint64_t rows[CHUNK_TABLES];
	uint64_t amount[CHUNK_TABLES]; /* samples, calls */
};

struct loader_options {
	const char *state; /* folder; NULL: the user's own */
	uint64_t state_max;
	struct http_tls tls;
};

/* One server. */
struct loader_target {
	struct server server;
	struct spool spool;
	bool is_away; /* it failed once, and is not asked again */
};

struct loader {
	const struct server_url *url;
	struct loader_target *targets; /* in the order of the URL's hosts */
	struct loader_totals totals;
	struct err last;         /* why something was kept */
	const char *last_folder; /* and where */
};

/* Initialises, and waits for other runs that send to the same servers; the URL must outlive the
 * loader. On success, free with loader_fini(). */
int loader_init(struct loader *loader, const struct server_url *url,
		const struct loader_options *options, struct err *err);
void loader_fini(struct loader *loader);

/* Sends what the spools of these servers contain. Returns 0 even if it has to stay there. */
int loader_send_spool(struct loader *loader, struct err *err);

/* Stores all chunks of a piece, or keeps them in the spool. */
int loader_send(struct loader *loader, const struct piece *piece, struct err *err);

#endif
