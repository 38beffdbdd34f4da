/* SPDX-License-Identifier: MIT
 *
 * credentials.h - headers of all requests to a receiver. Tokens come from a file or from the
 * environment: every user of a machine can see its command lines.
 */
#ifndef DWELL_FLEET_CREDENTIALS_H
#define DWELL_FLEET_CREDENTIALS_H

#include <stdbool.h>

#include "receiver.h"

/* Free with credentials_free(). */
struct credentials {
	char **headers; /* "Name: value", the last is NULL */
	size_t count;
	bool has_token;
};

/* Reads the token in a file, or in DWELL_PUSH_TOKEN if the path is NULL, and further headers in
 * OTEL_EXPORTER_OTLP_HEADERS. In either case, free with credentials_free(). */
int credentials_read(struct credentials *credentials, const struct receiver *receiver,
		     const char *token_file, struct err *err);
void credentials_free(struct credentials *credentials);

/* Finds the files for TLS in OTEL_EXPORTER_OTLP_CERTIFICATE and its kin, where none is given. */
void credentials_tls(struct http_tls *tls);

#endif
