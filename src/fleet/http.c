/* SPDX-License-Identifier: MIT */
#include "http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Loaded on demand: with its own libraries it would take longer to load than all of dwell. */
#define LIBRARY "libcurl.so.4"
/* The same with another library for TLS. */
#define OTHER_LIBRARY "libcurl-gnutls.so.4"

/* A peer that does not take a connection in this time is away. */
#define CONNECT_TIMEOUT_S 10

static struct {
	CURL *(*init)(void);
	CURLcode (*setopt)(CURL *, CURLoption, ...);
	CURLcode (*perform)(CURL *);
	CURLcode (*getinfo)(CURL *, CURLINFO, ...);
	void (*reset)(CURL *);
	const char *(*strerror)(CURLcode);
	struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
	void (*slist_free_all)(struct curl_slist *);
	CURL *handle; /* kept between requests, with its connections; NULL: not loaded yet */
} curl;

/* A request on its way. */
struct transfer {
	const struct http_request *request;
	struct http_response *response;
	size_t room;     /* of the response's body */
	bool is_too_big; /* the response */
	char reason[CURL_ERROR_SIZE];
};

static bool find_call(void *library, const char *name, void *call)
{
	void *found = dlsym(library, name);

	memcpy(call, &found, sizeof(found));
	return found;
}

/* The library stays loaded: it has exit handlers. */
static int load(struct err *err)
{
	void *library;

	if (curl.handle)
		return 0;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		library = dlopen(OTHER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library || !find_call(library, "curl_easy_init", &curl.init) ||
	    !find_call(library, "curl_easy_setopt", &curl.setopt) ||
	    !find_call(library, "curl_easy_perform", &curl.perform) ||
	    !find_call(library, "curl_easy_getinfo", &curl.getinfo) ||
	    !find_call(library, "curl_easy_reset", &curl.reset) ||
	    !find_call(library, "curl_easy_strerror", &curl.strerror) ||
	    !find_call(library, "curl_slist_append", &curl.slist_append) ||
	    !find_call(library, "curl_slist_free_all", &curl.slist_free_all))
		return err_set(err, ENOENT,
			       "HTTP needs " LIBRARY ", which is in the package libcurl4");
	curl.handle = curl.init();
	return curl.handle ? 0 : err_no_memory(err);
}

/* Keeps a part of the body. Returns less than it was given to end the transfer. */
static size_t on_body(char *bytes, size_t size, size_t count, void *argument)
{
	struct transfer *transfer = argument;
	struct http_response *response = transfer->response;
	size_t most = transfer->request->response_max ? transfer->request->response_max
						      : HTTP_RESPONSE_MAX;
	char *more;

	size *= count;
	if (size > most - response->size) {
		transfer->is_too_big = true;
		return 0;
	}
	while (response->size + size >= transfer->room) {
		size_t room = transfer->room ? 2 * transfer->room : 4096;

		more = realloc(response->body, room);
		if (!more)
			return 0;
		response->body = more;
		transfer->room = room;
	}
	memcpy(response->body + response->size, bytes, size);
	response->size += size;
	response->body[response->size] = '\0';
	return size;
}

static int errno_of(CURLcode code)
{
	switch (code) {
	case CURLE_URL_MALFORMAT:
	case CURLE_UNSUPPORTED_PROTOCOL:
		return EINVAL;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return EHOSTUNREACH;
	case CURLE_COULDNT_CONNECT:
		return ECONNREFUSED;
	case CURLE_OPERATION_TIMEDOUT:
		return ETIMEDOUT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CERTPROBLEM:
		return EACCES;
	case CURLE_OUT_OF_MEMORY:
		return ENOMEM;
	default:
		return EPROTO;
	}
}

/* Returns the length of a URL without its query, which may be long or secret. */
static int shown(const char *url)
{
	return (int)strcspn(url, "?#");
}

/* Names the URL without a name or password in it. */
static int fail(const struct transfer *transfer, CURLcode code, struct err *err)
{
	const char *url = transfer->request->url, *host = strstr(url, "://");
	const char *at = host ? memchr(host, '@', strcspn(host + 3, "/?#") + 3) : NULL;
	const char *from = at ? at + 1 : url;

	if (transfer->is_too_big)
		return err_set(err, EMSGSIZE, "'%.*s' sent a response that is too large",
			       shown(from), from);
	return err_set(err, errno_of(code), "cannot reach '%.*s': %s", shown(from), from,
		       *transfer->reason ? transfer->reason : curl.strerror(code));
}

static void set_options(struct transfer *transfer, struct curl_slist *headers)
{
	const struct http_request *request = transfer->request;
	unsigned timeout_s = request->timeout_s ? request->timeout_s : HTTP_TIMEOUT_S;

	curl.reset(curl.handle);
	curl.setopt(curl.handle, CURLOPT_URL, request->url);
	curl.setopt(curl.handle, CURLOPT_CUSTOMREQUEST, request->method);
	curl.setopt(curl.handle, CURLOPT_HTTPHEADER, headers);
	curl.setopt(curl.handle, CURLOPT_ERRORBUFFER, transfer->reason);
	curl.setopt(curl.handle, CURLOPT_WRITEFUNCTION, on_body);
	curl.setopt(curl.handle, CURLOPT_WRITEDATA, transfer);
	curl.setopt(curl.handle, CURLOPT_TIMEOUT, (long)timeout_s);
	curl.setopt(curl.handle, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
	curl.setopt(curl.handle, CURLOPT_NOSIGNAL, 1L);
	curl.setopt(curl.handle, CURLOPT_FRESH_CONNECT, (long)request->once);
	curl.setopt(curl.handle, CURLOPT_USERAGENT, "dwell");
	if (request->tls.authorities)
		curl.setopt(curl.handle, CURLOPT_CAINFO, request->tls.authorities);
	if (request->tls.certificate)
		curl.setopt(curl.handle, CURLOPT_SSLCERT, request->tls.certificate);
	if (request->tls.key)
		curl.setopt(curl.handle, CURLOPT_SSLKEY, request->tls.key);
	if (!request->body)
		return;
	curl.setopt(curl.handle, CURLOPT_POSTFIELDS, request->body);
	curl.setopt(curl.handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_size);
}

/* Returns false without memory. */
static bool read_head(struct http_response *response)
{
	const char *type = NULL, *location = NULL;
	curl_off_t seconds = 0;
	long status = 0;

	curl.getinfo(curl.handle, CURLINFO_CONTENT_TYPE, &type);
	curl.getinfo(curl.handle, CURLINFO_REDIRECT_URL, &location);
	response->type = strdup(type ? type : "");
	response->location = strdup(location ? location : "");
	curl.getinfo(curl.handle, CURLINFO_RESPONSE_CODE, &status);
	response->status = (int)status;
	if (!curl.getinfo(curl.handle, CURLINFO_RETRY_AFTER, &seconds) && seconds > 0)
		response->retry_after_s = seconds < 86400 ? (unsigned)seconds : 86400;
	return response->type && response->location;
}

/* Makes curl's list of headers. Bodies are sent at once: without the empty Expect, curl would wait
 * a second for the peer's consent. */
static struct curl_slist *list_headers(const char *const *headers)
{
	struct curl_slist *list = curl.slist_append(NULL, "Expect:"), *more = list;

	for (; more && headers && *headers; headers++) {
		more = curl.slist_append(list, *headers);
		list = more ? more : list;
	}
	if (more)
		return list;
	curl.slist_free_all(list);
	return NULL;
}

int http_send(const struct http_request *request, struct http_response *response, struct err *err)
{
	struct transfer transfer = { .request = request, .response = response };
	struct curl_slist *headers;
	CURLcode code;
	int status;

	*response = (struct http_response){ 0 };
	if (strncmp(request->url, "http://", 7) != 0 && strncmp(request->url, "https://", 8) != 0)
		return err_set(err, EINVAL, "invalid URL '%s': must begin with http:// or https://",
			       request->url);
	status = load(err);
	if (status)
		return status;
	response->body = calloc(1, 1);
	headers = list_headers(request->headers);
	if (!response->body || !headers) {
		curl.slist_free_all(headers);
		http_response_free(response);
		return err_no_memory(err);
	}
	transfer.room = 1;
	set_options(&transfer, headers);
	code = curl.perform(curl.handle);
	if (code)
		status = fail(&transfer, code, err);
	else if (!read_head(response))
		status = err_no_memory(err);
	curl.slist_free_all(headers);
	if (status)
		http_response_free(response);
	return status;
}

void http_response_free(struct http_response *response)
{
	free(response->body);
	free(response->type);
	free(response->location);
	*response = (struct http_response){ 0 };
}
