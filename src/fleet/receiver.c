/* SPDX-License-Identifier: MIT */
#include "receiver.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "receiver_forms.h"

static const struct receiver_protocol protocols[] = {
	{ .name = "otlp",
	  .path = "/v1development/profiles",
	  .type = "application/x-protobuf",
	  .encoding = "gzip",
	  .token_header = "Authorization: Bearer ",
	  .body = receiver_body_otlp,
	  .is_otlp = true },
	{ .name = "pyroscope",
	  .path = "/ingest",
	  .type = "application/octet-stream",
	  .token_header = "Authorization: Bearer ",
	  .query = receiver_query_pyroscope,
	  .body = export_pprof },
	{ .name = "parca",
	  .path = "/api/profiles/writeraw",
	  .type = "application/json",
	  .token_header = "Authorization: Bearer ",
	  .body = receiver_body_parca },
	{ .name = "coroot",
	  .path = "/v1/profiles",
	  .type = "application/octet-stream",
	  .token_header = "X-API-Key: ",
	  .query = receiver_query_labels,
	  .body = export_pprof },
	{ .name = "pprof",
	  .path = "/",
	  .type = "application/octet-stream",
	  .token_header = "Authorization: Bearer ",
	  .query = receiver_query_labels,
	  .body = export_pprof },
};

/* Returns the protocol that an address begins with, and in *rest what follows its '+'. */
static const struct receiver_protocol *find_protocol(const char *text, const char **rest)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		size_t length = strlen(protocols[i].name);

		*rest = text + length + 1;
		if (strncmp(text, protocols[i].name, length) == 0 && text[length] == '+' &&
		    (strncmp(*rest, "http://", 7) == 0 || strncmp(*rest, "https://", 8) == 0))
			return &protocols[i];
	}
	return NULL;
}

/* Checks host and port, and returns the path behind them; NULL: invalid. */
static const char *check_host(const char *url)
{
	const char *host = strstr(url, "://") + 3;
	const char *path = host + strcspn(host, "/?#");
	const char *port = *host == '[' ? memchr(host, ']', (size_t)(path - host)) : host;

	port = port ? memchr(port, ':', (size_t)(path - port)) : NULL;
	if (path == host || port == host ||
	    (*host == '[' && !memchr(host, ']', (size_t)(path - host))))
		return NULL;
	for (const char *at = port ? port + 1 : path; at < path; at++)
		if (!isdigit((unsigned char)*at) || path - port > 6)
			return NULL;
	for (const char *at = url; *at; at++)
		if (!isgraph((unsigned char)*at) || strchr("\"<>\\^`{|}#", *at))
			return NULL;
	return port && port + 1 == path ? NULL : path;
}

int receiver_parse(struct receiver *receiver, const char *text, struct err *err)
{
	const char *url, *path;
	bool is_bare;

	*receiver = (struct receiver){ .protocol = find_protocol(text, &url) };
	if (!receiver->protocol)
		return err_set(
			err, EINVAL,
			"unknown address '%s' (expected otlp+, pyroscope+, parca+, coroot+ or "
			"pprof+, then http:// or https://)",
			text);
	/* Not shown: it may contain a password. */
	if (memchr(url, '@', strcspn(strstr(url, "://") + 3, "/?#") + 8))
		return err_set(err, EINVAL,
			       "invalid address: it must not contain a name or password, which all "
			       "users of this machine could see; use --token-file");
	path = check_host(url);
	if (!path)
		return err_set(err, EINVAL,
			       "invalid address '%s' (expected %s+http://HOST[:PORT][/PATH])", text,
			       receiver->protocol->name);
	is_bare = *path == '\0' || strcmp(path, "/") == 0;
	if (asprintf(&receiver->url, "%.*s%s", (int)(path - url), url,
		     is_bare ? receiver->protocol->path : path) < 0) {
		receiver->url = NULL;
		return err_no_memory(err);
	}
	return 0;
}

void receiver_free(struct receiver *receiver)
{
	free(receiver->url);
	*receiver = (struct receiver){ 0 };
}

/* Closes a stream in memory. */
static int finish(FILE *out, int status, struct err *err)
{
	bool failed = ferror(out);

	return fclose(out) || failed ? err_no_memory(err) : status;
}

static int write_url(const struct receiver *receiver, const struct export_source *source,
		     struct spool_message *message, struct err *err)
{
	size_t size;
	FILE *out = open_memstream(&message->url, &size);
	int status = 0;

	if (!out)
		return err_no_memory(err);
	fputs(receiver->url, out);
	if (receiver->protocol->query) {
		fputc(strchr(receiver->url, '?') ? '&' : '?', out);
		status = receiver->protocol->query(source, out, err);
	}
	return finish(out, status, err);
}

int receiver_write(const struct receiver *receiver, const struct export_source *source,
		   const char *title, struct spool_message *message, struct err *err)
{
	FILE *out;
	int status;

	*message = (struct spool_message){ .title = strdup(title) };
	resource_print_id(source->resources->id, message->id);
	status = message->title ? write_url(receiver, source, message, err) : err_no_memory(err);
	out = status ? NULL : open_memstream(&message->body, &message->size);
	if (!status)
		status = out ? finish(out, receiver->protocol->body(source, out, err), err)
			     : err_no_memory(err);
	if (status)
		spool_message_free(message);
	return status;
}
