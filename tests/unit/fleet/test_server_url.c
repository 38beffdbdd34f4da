/* SPDX-License-Identifier: MIT */
#include "fleet/server_url.h"

#include <string.h>

#include "tap.h"

static void test_valid(void)
{
	struct server_url url;
	struct err err;

	ok(!server_url_parse(&url, "clickhouse://db1,db2:9,[::1]:8/profiles", &err) &&
		   url.count == 3 && strcmp(url.hosts[0], "db1:8123") == 0 &&
		   strcmp(url.hosts[1], "db2:9") == 0 && strcmp(url.hosts[2], "[::1]:8") == 0 &&
		   strcmp(url.database, "profiles") == 0 && strcmp(url.cluster, "fleet") == 0 &&
		   !url.user && !url.is_tls,
	   "hosts with and without a port");
	server_url_free(&url);
	ok(!server_url_parse(&url, "clickhouses://me@db/p?cluster=all", &err) && url.is_tls &&
		   strcmp(url.user, "me") == 0 && strcmp(url.cluster, "all") == 0 &&
		   strcmp(url.hosts[0], "db:8443") == 0,
	   "TLS, a user and a cluster");
	server_url_free(&url);
}

static void test_invalid(void)
{
	static const char *const texts[] = {
		"",
		"http://db/p",
		"clickhouse://db",
		"clickhouse:///p",
		"clickhouse://db/",
		"clickhouse://db,/p",
		"clickhouse://d b/p",
		"clickhouse://db:0/p",
		"clickhouse://db:70000/p",
		"clickhouse://db:x/p",
		"clickhouse://[::1/p",
		"clickhouse://[x]/p",
		"clickhouse://db/p;q",
		"clickhouse://db/1p",
		"clickhouse://db/p/q",
		"clickhouse://db/p?x=y",
		"clickhouse://db/p?cluster=",
		"clickhouse://db/p?cluster=a'b",
		"clickhouse://me:secret@db/p",
		"clickhouse://a\nb@db/p",
		"clickhouse://@db/p",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct server_url url;
		struct err err = { "" };

		ok(server_url_parse(&url, texts[i], &err) == -EINVAL && *err.text &&
			   !strstr(err.text, "secret"),
		   "'%s' is refused: %s", texts[i][0] ? "such a URL" : "", err.text);
	}
}

int main(void)
{
	test_valid();
	test_invalid();
	return tap_done();
}
