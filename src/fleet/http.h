/* SPDX-License-Identifier: MIT
 *
 * http.h - one request over HTTP or HTTPS and its response, by libcurl, which is loaded on demand.
 * Certificates are verified as curl does; proxies come from the environment. Redirects are not
 * followed: a request may contain secrets. The callers decide on the meaning of a status, and on
 * sending again.
 */
#ifndef DWELL_FLEET_HTTP_H
#define DWELL_FLEET_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Files of PEM for TLS; each may be NULL. */
struct http_tls {
	const char *authorities; /* the certificates to trust; NULL: those of the system */
	const char *certificate; /* our own */
	const char *key;         /* of that */
};

struct http_request {
	const char *method;         /* "GET", "POST", ... */
	const char *url;            /* http:// or https:// */
	const char *const *headers; /* "Name: value", the last is NULL; NULL: none */
	const void *body;           /* NULL: none */
	size_t body_size;
	unsigned timeout_s;  /* for the whole request; 0: HTTP_TIMEOUT_S */
	size_t response_max; /* bytes of the response's body; 0: HTTP_RESPONSE_MAX */
	struct http_tls tls;
	bool once; /* twice would be wrong: it gets a connection of its own. On one that was used
		    * before and breaks without a response, curl sends a request again by itself */
};

#define HTTP_TIMEOUT_S    60
#define HTTP_RESPONSE_MAX ((size_t)1 << 30)

struct http_response {
	int status;             /* 100...599 */
	unsigned retry_after_s; /* as the server asks for; 0: it does not */
	char *body;             /* any bytes, and a '\0' behind them */
	size_t size;
	char *type;     /* Content-Type; "": none */
	char *location; /* the address of a redirect; "": none */
};

/* Sends a request and reads the whole response, whatever its status. Returns 0, or -errno with a
 * message that names the host: -EINVAL for a URL that is none, -ENOENT without libcurl, -EACCES for
 * a certificate that is not trusted, -ECONNREFUSED, -EHOSTUNREACH, -ETIMEDOUT, -EMSGSIZE or -EPROTO
 * if no complete response came; the server may then have acted on the request or not. On success,
 * free with http_response_free(). */
int http_send(const struct http_request *request, struct http_response *response, struct err *err);
void http_response_free(struct http_response *response);

#endif
