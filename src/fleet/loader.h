/* SPDX-License-Identifier: MIT
 *
 * loader.h - stores chunks on the servers of a URL. A chunk that its server does not take is kept
 * in a folder, the spool, and sent by the next run: it is on its server, or in the spool, or both.
 */
#ifndef DWELL_FLEET_LOADER_H
#define DWELL_FLEET_LOADER_H

#include "chunk.h"

struct loader_totals {
	size_t stored, known, spooled; /* chunks */
	uint64_t rows, samples;        /* of the stored ones */
};

struct loader {
	const struct server_url *url;
	const char *spool;
	struct server *servers; /* in the order of the URL's hosts */
	bool *is_away;          /* per server: it failed once, and is not asked again */
	struct loader_totals totals;
	struct err last; /* why something was kept */
};

/* Initialises; the URL and the spool's path must outlive the loader. On success, free with
 * loader_fini(). */
int loader_init(struct loader *loader, const struct server_url *url, const char *spool,
		struct err *err);
void loader_fini(struct loader *loader);

/* Sends what the spool contains for these servers. Returns 0 even if it has to stay there; a file
 * that contains something else is an error. */
int loader_send_spool(struct loader *loader, struct err *err);

/* Stores all chunks of a piece, or keeps them in the spool. */
int loader_send(struct loader *loader, const struct piece *piece, struct err *err);

#endif
