/* SPDX-License-Identifier: MIT
 *
 * server.h - statements for a ClickHouse server, by its HTTP interface.
 */
#ifndef DWELL_FLEET_SERVER_H
#define DWELL_FLEET_SERVER_H

#include "http.h"
#include "server_url.h"
#include "sql.h"

/* The version of the tables of sql/schema.sql. */
#define SERVER_SCHEMA 2

/* One server of a URL, which must outlive it. */
struct server {
	const struct server_url *url;
	const char *host;    /* with its port */
	struct http_tls tls; /* its texts belong to the caller */
	char *password;      /* NULL: none */
};

/* Finds the password in the environment. On success, free with server_close(). */
int server_open(struct server *server, const struct server_url *url, const char *host,
		const struct http_tls *tls, struct err *err);
void server_close(struct server *server);

/* Runs a query that returns rows in RowBinary. On success, free with http_response_free(). */
int server_query(const struct server *server, const char *statement, const struct sql_part *parts,
		 size_t count, struct http_response *response, struct err *err);

/* Runs statements that return nothing, each ended by a semicolon at the end of a line. With
 * is_bare, they run before the database exists. */
int server_run(const struct server *server, const char *statements, const struct sql_part *parts,
	       size_t count, bool is_bare, struct err *err);

/* The most bytes of an INSERT: a server takes no larger frame. */
#define SERVER_INSERT_MAX ((size_t)1000 << 20)

/* Stores rows, all of them or, on an error, perhaps none. Returns -E2BIG if they are too many. */
int server_insert(const struct server *server, const char *statement, const void *rows, size_t size,
		  struct err *err);

/* Checks that the database has the tables of this dwell. */
int server_check(const struct server *server, struct err *err);

#endif
