/* SPDX-License-Identifier: MIT
 *
 * server_url.h - the servers that a user names: clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE.
 */
#ifndef DWELL_FLEET_SERVER_URL_H
#define DWELL_FLEET_SERVER_URL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SERVER_URL_FORM "clickhouse://[USER@]HOST[:PORT][,HOST[:PORT]...]/DATABASE[?cluster=NAME]"

/* Invariant: hosts, database, cluster and user contain only characters that mean nothing in a URL,
 * a header or a statement. */
struct server_url {
	char *text;   /* that the others point into */
	char **hosts; /* each with its port; a shard each */
	size_t count; /* at least 1 */
	const char *database;
	const char *cluster; /* of all shards, in the servers' configuration */
	const char *user;    /* NULL: the default one */
	bool is_tls;         /* clickhouses:// */
};

/* Parses a URL. On success, free with server_url_free(). */
int server_url_parse(struct server_url *url, const char *text, struct err *err);
void server_url_free(struct server_url *url);

#endif
