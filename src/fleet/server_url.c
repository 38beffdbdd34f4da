/* SPDX-License-Identifier: MIT */
#include "server_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"

#define PLAIN       "clickhouse://"
#define TLS         "clickhouses://"
#define CLUSTER_KEY "cluster="

/* The ports of ClickHouse's HTTP interface. */
#define PLAIN_PORT "8123"
#define TLS_PORT   "8443"

/* The cluster in docs/FLEET.md and in sql/shards.sql. */
#define USUAL_CLUSTER "fleet"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

static bool consists_of(const char *text, const char *characters)
{
	return *text && !text[strspn(text, characters)];
}

static bool is_name(const char *text)
{
	return consists_of(text, LETTERS DIGITS "_") && !strchr(DIGITS, *text);
}

/* Returns whether it is a name, an IPv4 address or one of IPv6 in brackets, with a port behind it
 * or not. */
static bool is_host(const char *text, bool *has_port)
{
	const char *end = *text == '[' ? strchr(text, ']') : text + strcspn(text, ":");
	size_t length = end ? (size_t)(end - text) : 0;
	uint64_t port;

	if (*text == '[') {
		if (length < 2 || strspn(text + 1, DIGITS "abcdefABCDEF:.") != length - 1)
			return false;
		end++;
	} else if (!length || strspn(text, LETTERS DIGITS "-._") < length) {
		return false;
	}
	*has_port = *end == ':';
	return *has_port ? decimal_parse(end + 1, 65535, &port) && port : !*end;
}

static int add_host(struct server_url *url, const char *host, struct err *err)
{
	char **more = vec_room(url->hosts, url->count, sizeof(*more));
	bool has_port;

	if (!more)
		return err_no_memory(err);
	url->hosts = more;
	if (!is_host(host, &has_port))
		return err_set(
			err, EINVAL,
			"invalid host '%s': must be a name or an address, and a port if need "
			"be, as in db1:8123",
			host);
	if (asprintf(&more[url->count], "%s%s%s", host, has_port ? "" : ":",
		     has_port      ? ""
		     : url->is_tls ? TLS_PORT
				   : PLAIN_PORT) < 0)
		return err_no_memory(err);
	url->count++;
	return 0;
}

/* Splits HOST,HOST. */
static int add_hosts(struct server_url *url, char *hosts, struct err *err)
{
	int status = 0;

	while (hosts && !status) {
		char *host = strsep(&hosts, ",");

		status = add_host(url, host, err);
	}
	return status;
}

static int take_user(struct server_url *url, char *user, struct err *err)
{
	if (strchr(user, ':'))
		return err_set(err, EINVAL,
			       "the URL contains a password, which other users can see: use "
			       "DWELL_STORE_PASSWORD or DWELL_STORE_PASSWORD_FILE");
	if (!consists_of(user, LETTERS DIGITS "_.-"))
		return err_set(err, EINVAL,
			       "invalid user '%s': must consist of letters, digits, '_', '.' and "
			       "'-'",
			       user);
	url->user = user;
	return 0;
}

/* Takes DATABASE[?cluster=NAME]. */
static int take_names(struct server_url *url, char *names, struct err *err)
{
	char *query = strchr(names, '?');

	if (query)
		*query++ = '\0';
	url->database = names;
	url->cluster = USUAL_CLUSTER;
	if (!is_name(names))
		return err_set(err, EINVAL,
			       "invalid database '%s': must consist of letters, digits and '_'",
			       names);
	if (!query)
		return 0;
	url->cluster = query + strlen(CLUSTER_KEY);
	if (strncmp(query, CLUSTER_KEY, strlen(CLUSTER_KEY)) != 0 || !is_name(url->cluster))
		return err_set(err, EINVAL,
			       "unknown option '%s' of the URL (expected cluster=NAME)", query);
	return 0;
}

static int parse(struct server_url *url, const char *text, struct err *err)
{
	char *hosts = url->text + strlen(url->is_tls ? TLS : PLAIN), *database, *at;
	int status = 0;

	database = strchr(hosts, '/');
	if (!database)
		return err_set(err, EINVAL, "invalid URL '%s': must be " SERVER_URL_FORM, text);
	*database++ = '\0';
	at = strrchr(hosts, '@');
	if (at) {
		*at = '\0';
		status = take_user(url, hosts, err);
		hosts = at + 1;
	}
	if (!status)
		status = take_names(url, database, err);
	return status ? status : add_hosts(url, hosts, err);
}

int server_url_parse(struct server_url *url, const char *text, struct err *err)
{
	int status;

	*url = (struct server_url){ .is_tls = strncmp(text, TLS, strlen(TLS)) == 0 };
	if (!url->is_tls && strncmp(text, PLAIN, strlen(PLAIN)) != 0)
		return err_set(err, EINVAL, "invalid URL '%s': must be " SERVER_URL_FORM, text);
	url->text = strdup(text);
	status = url->text ? parse(url, text, err) : err_no_memory(err);
	if (status)
		server_url_free(url);
	return status;
}

void server_url_free(struct server_url *url)
{
	for (size_t i = 0; i < url->count; i++)
		free(url->hosts[i]);
	free(url->hosts);
	free(url->text);
	*url = (struct server_url){ 0 };
}
