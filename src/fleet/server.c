/* SPDX-License-Identifier: MIT */
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "row_binary.h"

/* A query may read billions of rows. */
#define QUERY_TIMEOUT_S 600

#define PASSWORD      "DWELL_STORE_PASSWORD"
#define PASSWORD_FILE "DWELL_STORE_PASSWORD_FILE"

/* The head of a frame behind its checksum, and the method without compression. */
#define FRAME_HEAD 9
#define FRAME_BARE 2

/* ClickHouse's numbers of errors. */
enum { UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81 };

/* Reads the first line of the file that contains the password. */
static int read_password(const char *path, char **password, struct err *err)
{
	FILE *file = fopen(path, "re");
	size_t room = 0;
	ssize_t length;

	if (!file)
		return err_set(err, errno, "cannot open '%s', which " PASSWORD_FILE " names: %s",
			       path, strerror(errno));
	length = getline(password, &room, file);
	fclose(file);
	if (length < 0)
		return err_set(err, ENODATA, "'%s', which " PASSWORD_FILE " names, is empty", path);
	(*password)[strcspn(*password, "\r\n")] = '\0';
	return 0;
}

int server_open(struct server *server, const struct server_url *url, const char *host,
		const struct http_tls *tls, struct err *err)
{
	const char *path = getenv(PASSWORD_FILE), *password = getenv(PASSWORD);
	int status = 0;

	*server = (struct server){ .url = url, .host = host, .tls = *tls };
	if (path && *path)
		status = read_password(path, &server->password, err);
	else if (password && *password && !(server->password = strdup(password)))
		status = err_no_memory(err);
	if (!status && server->password && strpbrk(server->password, "\r\n"))
		status = err_set(err, EINVAL, "invalid " PASSWORD ": must be one line");
	if (status)
		server_close(server);
	return status;
}

void server_close(struct server *server)
{
	free(server->password);
	*server = (struct server){ 0 };
}

static void write_escaped(const char *text, FILE *out)
{
	for (; *text; text++)
		fprintf(out, "%%%02x", (unsigned char)*text);
}

/* Returns the URL of a request, with a statement in it if the body is its rows in a frame. They are
 * one block for the server, which stores a block whole or not at all. Responses wait for
 * the end of a query: else an error could come behind half of the rows. */
static char *url_of(const struct server *server, const char *statement, bool is_bare)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "http%s://%s/?wait_end_of_query=1", server->url->is_tls ? "s" : "",
		server->host);
	if (!is_bare)
		fprintf(out, "&database=%s", server->url->database);
	if (statement) {
		fputs("&max_insert_block_size=33554432&decompress=1&http_native_compression_"
		      "disable_checksumming_on_decompress=1&query=",
		      out);
		write_escaped(statement, out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Returns the number of an error, 0 if the text is none. */
static int code_of(const char *body)
{
	return strncmp(body, "Code: ", 6) == 0 ? atoi(body + 6) : 0;
}

/* Turns a response that is an error into a sentence. */
static int refuse(const struct server *server, const struct http_response *response,
		  struct err *err)
{
	const char *text = strstr(response->body, "DB::Exception: "), *end;
	int code = code_of(response->body);

	if (code == UNKNOWN_DATABASE || code == UNKNOWN_TABLE)
		return err_set(err, ENOENT,
			       "the database '%s' on %s has no tables of dwell: run dwell store "
			       "init",
			       server->url->database, server->host);
	text = text ? text + strlen("DB::Exception: ") : response->body;
	end = strstr(text, ", e.what()");
	if (!end)
		end = text + strcspn(text, "\n");
	return err_set(err, EREMOTEIO, "%s refused the request (status %d): %.*s", server->host,
		       response->status, (int)(end - text), text);
}

static int send(const struct server *server, const struct http_request *request,
		struct http_response *response, struct err *err)
{
	char user[256], *key = NULL;
	const char *headers[] = { user, NULL, NULL };
	struct http_request complete = *request;
	int status;

	snprintf(user, sizeof(user), "X-ClickHouse-User: %s",
		 server->url->user ? server->url->user : "default");
	if (server->password && asprintf(&key, "X-ClickHouse-Key: %s", server->password) < 0)
		return err_no_memory(err);
	headers[1] = key;
	complete.method = "POST";
	complete.headers = headers;
	complete.timeout_s = QUERY_TIMEOUT_S;
	complete.tls = server->tls;
	status = http_send(&complete, response, err);
	free(key);
	if (status || response->status == 200)
		return status;
	status = refuse(server, response, err);
	http_response_free(response);
	return status;
}

/* Sends one statement, which is the body. */
static int send_statement(const struct server *server, const char *statement, size_t size,
			  bool is_bare, struct http_response *response, struct err *err)
{
	char *url = url_of(server, NULL, is_bare);
	struct http_request request = { .url = url, .body = statement, .body_size = size };
	int status = url ? send(server, &request, response, err) : err_no_memory(err);

	free(url);
	return status;
}

int server_query(const struct server *server, const char *statement, const struct sql_part *parts,
		 size_t count, struct http_response *response, struct err *err)
{
	char *filled = sql_fill(statement, parts, count), *whole = NULL;
	int size = filled ? asprintf(&whole, "%s FORMAT RowBinary", filled) : -1;
	int status = -ENOMEM;

	if (size >= 0)
		status = send_statement(server, whole, (size_t)size, false, response, err);
	else
		err_no_memory(err);
	free(filled);
	free(size >= 0 ? whole : NULL);
	return status;
}

int server_run(const struct server *server, const char *statements, const struct sql_part *parts,
	       size_t count, bool is_bare, struct err *err)
{
	char *filled = sql_fill(statements, parts, count);
	int status = filled ? 0 : err_no_memory(err);

	for (const char *at = filled; !status && at && *at;) {
		struct http_response response;
		size_t size = sql_first(at);

		status = send_statement(server, at, size, is_bare, &response, err);
		if (!status)
			http_response_free(&response);
		at += size;
		at += strspn(at, ";\n");
	}
	free(filled);
	return status;
}

/* Returns the rows in a frame of ClickHouse's compressed streams, without compression and without a
 * checksum: a server that gets less of it than its head says refuses all. It would store the rows
 * of a bare body that arrive before a connection breaks. NULL: no memory; free with free(). */
static char *frame(const void *rows, size_t size, size_t *framed)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, framed);

	if (!out)
		return NULL;
	row_binary_put(0, 8, out);
	row_binary_put(0, 8, out);
	row_binary_put(FRAME_BARE, 1, out);
	row_binary_put(size + FRAME_HEAD, 4, out);
	row_binary_put(size, 4, out);
	fwrite(rows, 1, size, out);
	if (!fclose(out))
		return bytes;
	free(bytes);
	return NULL;
}

int server_insert(const struct server *server, const char *statement, const void *rows, size_t size,
		  struct err *err)
{
	size_t framed = 0;
	char *url = url_of(server, statement, false), *bytes = frame(rows, size, &framed);
	struct http_request request = {
		.url = url, .body = bytes, .body_size = framed, .once = true
	};
	struct http_response response;
	int status;

	if (size > SERVER_INSERT_MAX)
		status = err_set(err, E2BIG,
				 "%zu MB are too many for one INSERT: use a longer --window",
				 size >> 20);
	else
		status = url && bytes ? send(server, &request, &response, err) : err_no_memory(err);
	free(url);
	free(bytes);
	if (!status)
		http_response_free(&response);
	return status;
}

int server_check(const struct server *server, struct err *err)
{
	struct http_response response;
	struct row_binary rows;
	uint64_t version;
	int status = server_query(server, sql_version, NULL, 0, &response, err);

	if (status)
		return status;
	rows = row_binary_of(response.body, response.size);
	version = row_binary_take(&rows, 4);
	if (rows.is_short)
		status = err_set(err, EPROTO,
				 "%s does not respond as a ClickHouse server does: "
				 "%zu bytes instead of 4",
				 server->host, response.size);
	else if (version != SERVER_SCHEMA)
		status = err_set(err, EINVAL,
				 "the tables of '%s' on %s have version %u: this dwell needs "
				 "version %u; use another database",
				 server->url->database, server->host, (unsigned)version,
				 SERVER_SCHEMA);
	http_response_free(&response);
	return status;
}
