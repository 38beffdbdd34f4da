/* SPDX-License-Identifier: MIT
 *
 * receiver.h - the servers that `dwell push` sends to: their addresses, their messages, and the
 * meaning of their responses. A receiver is a row of the table in receiver.c.
 */
#ifndef DWELL_FLEET_RECEIVER_H
#define DWELL_FLEET_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "http.h"
#include "output/export/export.h"
#include "spool_file.h"

struct receiver;

/* Makes the query of a request, which begins with '?', or "". */
typedef int receiver_query(const struct export_source *source, FILE *out, struct err *err);

/* Makes the body. */
typedef int receiver_body(const struct export_source *source, FILE *out, struct err *err);

struct receiver_protocol {
	const char *name;         /* in front of +http:// */
	const char *path;         /* unless the address has one */
	const char *type;         /* Content-Type */
	const char *encoding;     /* Content-Encoding; NULL: none */
	const char *token_header; /* in front of a token */
	receiver_query *query;    /* NULL: none */
	receiver_body *body;
	bool is_otlp;
};

/* Free with receiver_free(). */
struct receiver {
	const struct receiver_protocol *protocol;
	char *url; /* http:// or https://, with a path */
};

/* Parses PROTOCOL+http://HOST[:PORT][/PATH], or the same with https. On success, free with
 * receiver_free(). */
int receiver_parse(struct receiver *receiver, const char *text, struct err *err);
void receiver_free(struct receiver *receiver);

/* Makes the message of a recording. source: with its resources, and with a profile, calls or both.
 * On success, free with spool_message_free(). */
int receiver_write(const struct receiver *receiver, const struct export_source *source,
		   const char *title, struct spool_message *message, struct err *err);

/* The meaning of a response. */
enum receiver_verdict {
	RECEIVER_ACCEPTED,
	RECEIVER_PARTIAL,  /* a part was rejected for good, and it is not known which */
	RECEIVER_REJECTED, /* nothing was accepted, and the same again will not be */
	RECEIVER_DENIED,   /* the address, the credentials or the receiver are wrong: not now */
	RECEIVER_AWAY,     /* try again soon */
};

/* Judges a response, and sets a sentence about it; "": there is nothing to say. */
enum receiver_verdict receiver_judge(const struct receiver *receiver,
				     const struct http_response *response, struct err *sentence);

#endif
