/* SPDX-License-Identifier: MIT */
#include "fleet/receiver.h"

#include <string.h>

#include "tap.h"

static struct err err;

/* Returns whether an address leads to this one; NULL: it is invalid. */
static bool leads(const char *text, const char *wanted)
{
	struct receiver receiver;
	int status = receiver_parse(&receiver, text, &err);
	bool does = wanted ? status == 0 && strcmp(receiver.url, wanted) == 0 : status == -EINVAL;

	if (!does)
		note("%s: %s", text, status ? err.text : receiver.url);
	if (!status)
		receiver_free(&receiver);
	return does;
}

static void addresses(void)
{
	ok(leads("otlp+http://host:4318", "http://host:4318/v1development/profiles"),
	   "OTLP's path is the usual one");
	ok(leads("otlp+https://host/", "https://host/v1development/profiles"), "or with https");
	ok(leads("otlp+http://host/own/path", "http://host/own/path"), "a path is kept");
	ok(leads("pyroscope+http://host:4040", "http://host:4040/ingest"), "Pyroscope");
	ok(leads("parca+http://[::1]:7070", "http://[::1]:7070/api/profiles/writeraw"), "Parca");
	ok(leads("coroot+http://host", "http://host/v1/profiles"), "Coroot");
	ok(leads("pprof+https://host/upload?team=1", "https://host/upload?team=1"), "pprof");
	ok(leads("http://host", NULL) && leads("otlp+ftp://host", NULL) && leads("otlp", NULL) &&
		   leads("", NULL) && leads("otlp+", NULL),
	   "an address begins with its protocol: %s", err.text);
	ok(leads("otlp+http://", NULL) && leads("otlp+http:///path", NULL) &&
		   leads("otlp+http://:80", NULL) && leads("otlp+http://host:", NULL) &&
		   leads("otlp+http://host:80x", NULL) && leads("otlp+http://host:123456", NULL) &&
		   leads("otlp+http://[::1", NULL),
	   "and has a host, and a number as its port: %s", err.text);
	ok(leads("otlp+http://host/a b", NULL) && leads("otlp+http://host/\n", NULL) &&
		   leads("otlp+http://host/#top", NULL),
	   "and no characters that are none: %s", err.text);
	ok(leads("otlp+http://me:secret@host", NULL) && !strstr(err.text, "secret"),
	   "and no password: %s", err.text);
}

static enum receiver_verdict judge(const char *to, int status, const char *type, const char *body,
				   size_t size)
{
	struct receiver receiver;
	struct http_response response = { .status = status,
					  .type = (char *)type,
					  .body = (char *)body,
					  .size = size,
					  .location = (char *)"gopher://other/" };
	enum receiver_verdict verdict;

	if (receiver_parse(&receiver, to, &err))
		bail_out(err.text);
	verdict = receiver_judge(&receiver, &response, &err);
	receiver_free(&receiver);
	return verdict;
}

static void verdicts(void)
{
	static const char otlp[] = "otlp+http://host", pprof[] = "pprof+http://host";
	static const char type[] = "application/x-protobuf";

	ok(judge(otlp, 200, type, "", 0) == RECEIVER_ACCEPTED && !*err.text, "accepted");
	ok(judge(otlp, 202, "", "", 0) == RECEIVER_ACCEPTED, "an empty answer needs no type");
	ok(judge(otlp, 200, type, "\x0a\x07\x08\x02\x12\x03why", 9) == RECEIVER_PARTIAL &&
		   strstr(err.text, "2 of the recording's profiles: why"),
	   "partly: %s", err.text);
	ok(judge(otlp, 200, type, "\x0a\x05\x12\x03old", 7) == RECEIVER_ACCEPTED &&
		   strstr(err.text, "warns: old"),
	   "with a warning: %s", err.text);
	ok(judge(otlp, 200, "text/html; charset=utf-8", "<html>", 6) == RECEIVER_DENIED,
	   "a web page is refused as an answer: %s", err.text);
	ok(judge(otlp, 200, type, "<html>", 6) == RECEIVER_DENIED, "whatever it says it is");
	ok(judge(otlp, 200, "application/json", " {\n}", 4) == RECEIVER_ACCEPTED &&
		   judge(otlp, 200, "application/json", "{\"partialSuccess\":{}}", 21) ==
			   RECEIVER_ACCEPTED,
	   "an empty answer in JSON");
	ok(judge(otlp, 200, "application/json", "{\"partialSuccess\":{\"rejectedProfiles\":1}}",
		 41) == RECEIVER_DENIED,
	   "any other in JSON is not relied on");
	ok(judge(pprof, 200, "text/plain", "ok", 2) == RECEIVER_ACCEPTED, "others say nothing");
	ok(judge(pprof, 200, "text/html", "", 0) == RECEIVER_DENIED, "but no web page");
	ok(judge(otlp, 307, "", "", 0) == RECEIVER_DENIED && strstr(err.text, "gopher://other/"),
	   "redirects are not followed: %s", err.text);
	ok(judge(otlp, 503, "", "busy\nnow", 8) == RECEIVER_AWAY && strstr(err.text, "503: busy"),
	   "try again: %s", err.text);
	ok(judge(otlp, 429, "", "", 0) == RECEIVER_AWAY &&
		   judge(otlp, 502, "", "", 0) == RECEIVER_AWAY &&
		   judge(otlp, 504, "", "", 0) == RECEIVER_AWAY,
	   "these, too");
	ok(judge(otlp, 401, "", "", 0) == RECEIVER_DENIED &&
		   judge(otlp, 404, "", "", 0) == RECEIVER_DENIED &&
		   judge(otlp, 500, "", "", 0) == RECEIVER_DENIED,
	   "not the message's fault");
	ok(judge(otlp, 400, "", "", 0) == RECEIVER_REJECTED &&
		   judge(otlp, 413, "", "", 0) == RECEIVER_REJECTED,
	   "the message's fault");
}

int main(void)
{
	addresses();
	verdicts();
	return tap_done();
}
