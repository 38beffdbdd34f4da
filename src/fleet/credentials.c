/* SPDX-License-Identifier: MIT */
#include "credentials.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/pairs.h"
#include "base/vec.h"

#define TOKEN_MAX 16384

/* Appends a header, and keeps the list ended by NULL. */
static int add(struct credentials *credentials, const char *name, const char *value,
	       struct err *err)
{
	size_t count = credentials->count;
	char **more = vec_room(credentials->headers, count + 1, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	credentials->headers = more;
	if (asprintf(&more[count], "%s%s", name, value) < 0) {
		more[count] = NULL;
		return err_no_memory(err);
	}
	more[count + 1] = NULL;
	credentials->count++;
	return 0;
}

/* Returns whether a text can be the value of a header, which ends with its line. */
static bool is_value(const char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			return false;
	return true;
}

static int add_token(struct credentials *credentials, const struct receiver *receiver, char *token,
		     const char *source, struct err *err)
{
	token[strcspn(token, "\r\n")] = '\0';
	if (!*token || !is_value(token) || strchr(token, ' '))
		return err_set(err, EINVAL, "invalid token in %s: must be one line without blanks",
			       source);
	credentials->has_token = true;
	return add(credentials, receiver->protocol->token_header, token, err);
}

static int read_token(struct credentials *credentials, const struct receiver *receiver,
		      const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	char *token = calloc(1, TOKEN_MAX + 1), *source = NULL;
	int status;

	if (file && token)
		token[fread(token, 1, TOKEN_MAX, file)] = '\0';
	if (!file || !token || ferror(file)) {
		status = token ? err_set(err, errno, "cannot read '%s': %s", path, strerror(errno))
			       : err_no_memory(err);
	} else {
		if (asprintf(&source, "'%s'", path) < 0)
			source = NULL;
		status = add_token(credentials, receiver, token, source ? source : path, err);
	}
	if (file)
		fclose(file);
	free(source);
	free(token);
	return status;
}

static int copy_token(struct credentials *credentials, const struct receiver *receiver,
		      const char *variable, struct err *err)
{
	const char *token = getenv(variable);
	char *copy = token && *token ? strdup(token) : NULL;
	int status = 0;

	if (copy)
		status = add_token(credentials, receiver, copy, variable, err);
	else if (token && *token)
		status = err_no_memory(err);
	free(copy);
	return status;
}

/* Returns whether a name of a header has its characters. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("!#$%&'*+-.^_`|~", *at))
			return false;
	return *name;
}

/* Adds the headers of OpenTelemetry's own variable, with whatever secrets it contains: messages
 * show names alone. */
static int add_headers(struct credentials *credentials, struct err *err)
{
	static const char variable[] = "OTEL_EXPORTER_OTLP_HEADERS";
	const char *text = getenv(variable);
	char *copy = strdup(text ? text : ""), *at = copy;
	struct pair pair = { 0 };
	int more = 0, status = copy ? 0 : err_no_memory(err);

	while (!status && (more = pairs_next(&at, &pair)) > 0) {
		char name[256];

		if (!is_name(pair.key) || !is_value(pair.value) ||
		    snprintf(name, sizeof(name), "%s: ", pair.key) >= (int)sizeof(name))
			status = err_set(err, EINVAL,
					 "invalid %s: a header's name or value is none", variable);
		else
			status = add(credentials, name, pair.value, err);
	}
	if (!status && more < 0)
		status = err_set(
			err, EINVAL,
			"invalid %s: must be NAME=VALUE,... with %%XX for special characters",
			variable);
	free(copy);
	return status;
}

int credentials_read(struct credentials *credentials, const struct receiver *receiver,
		     const char *token_file, struct err *err)
{
	int status;

	*credentials = (struct credentials){ 0 };
	status = add(credentials, "Content-Type: ", receiver->protocol->type, err);
	if (!status && receiver->protocol->encoding)
		status = add(credentials, "Content-Encoding: ", receiver->protocol->encoding, err);
	if (!status && token_file)
		status = read_token(credentials, receiver, token_file, err);
	else if (!status)
		status = copy_token(credentials, receiver, "DWELL_PUSH_TOKEN", err);
	return status ? status : add_headers(credentials, err);
}

void credentials_free(struct credentials *credentials)
{
	for (size_t i = 0; i < credentials->count; i++)
		free(credentials->headers[i]);
	free(credentials->headers);
	*credentials = (struct credentials){ 0 };
}

static void take_variable(const char **path, const char *variable)
{
	const char *value = getenv(variable);

	if (!*path && value && *value)
		*path = value;
}

void credentials_tls(struct http_tls *tls)
{
	take_variable(&tls->authorities, "OTEL_EXPORTER_OTLP_CERTIFICATE");
	take_variable(&tls->certificate, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE");
	take_variable(&tls->key, "OTEL_EXPORTER_OTLP_CLIENT_KEY");
}
