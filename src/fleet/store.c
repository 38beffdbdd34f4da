/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>

#include "row_binary.h"

/* Servers from this version on have LowCardinality without a setting. */
#define OWN_LABELS_SINCE 19

/* Asks for one number. */
static int ask_number(const struct server *server, const char *statement,
		      const struct sql_part *parts, size_t count, uint64_t *number, struct err *err)
{
	struct http_response response;
	struct row_binary rows;
	int status = server_query(server, statement, parts, count, &response, err);

	if (status)
		return status;
	rows = row_binary_of(response.body, response.size);
	*number = row_binary_take(&rows, 8);
	http_response_free(&response);
	return rows.is_short
		       ? err_set(err, EPROTO, "%s does not respond as a ClickHouse server does",
				 server->host)
		       : 0;
}

static int create_database(const struct server *server, struct err *err)
{
	char statement[256];

	/* The name consists of letters: see server_url.h. */
	snprintf(statement, sizeof(statement), "CREATE DATABASE IF NOT EXISTS %.128s",
		 server->url->database);
	return server_run(server, statement, NULL, 0, true, err);
}

static int create_tables(const struct server *server, struct err *err)
{
	struct sql_part part = { "label", "String" };
	uint64_t major;
	int status = ask_number(server, "SELECT toUInt64(splitByChar('.', version())[1])", NULL, 0,
				&major, err);

	if (status)
		return status;
	if (major >= OWN_LABELS_SINCE)
		part.text = "LowCardinality(String)";
	return server_run(server, sql_schema, &part, 1, false, err);
}

/* Creates the names that queries use: over the cluster, or of the one server. */
static int create_names(const struct server *server, struct err *err)
{
	const struct server_url *url = server->url;
	const struct sql_part bare = { "cluster", url->cluster };
	struct sql_part quoted = { "cluster", NULL };
	char *name = sql_text(url->cluster);
	uint64_t shards = 0;
	int status;

	quoted.text = name;
	status = name ? ask_number(server, sql_clusters, &quoted, 1, &shards, err)
		      : err_no_memory(err);
	free(name);
	if (status)
		return status;
	if (shards < url->count && url->count > 1)
		return err_set(
			err, ENOENT,
			"%s knows %zu shards of the cluster '%s' instead of %zu: see "
			"remote_servers in its configuration, or name another cluster in the "
			"URL",
			server->host, (size_t)shards, url->cluster, url->count);
	return server_run(server, shards ? sql_shards : sql_single, &bare, 1, false, err);
}

static int init_server(const struct server *server, struct err *err)
{
	int status = create_database(server, err);

	if (!status)
		status = create_tables(server, err);
	if (!status)
		status = server_check(server, err);
	return status ? status : create_names(server, err);
}

int store_init(const struct server_url *url, const struct http_tls *tls, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < url->count && !status; i++) {
		struct server server;

		status = server_open(&server, url, url->hosts[i], tls, err);
		if (status)
			return status;
		status = init_server(&server, err);
		server_close(&server);
	}
	return status;
}
