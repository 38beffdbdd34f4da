/* SPDX-License-Identifier: MIT */
#include "fleet/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tap.h"

/* A server of one connection: sends an answer once a request's head and body have arrived. */
struct server {
	int fd;
	const char *answer;
	char request[4096];
	size_t size;
	char url[64];
	pthread_t thread;
};

static bool is_complete(const struct server *server)
{
	const char *end = memmem(server->request, server->size, "\r\n\r\n", 4);
	const char *length = memmem(server->request, server->size, "Content-Length: ", 16);
	size_t body = length ? (size_t)atol(length + 16) : 0;

	return end && server->size >= (size_t)(end + 4 - server->request) + body;
}

static void *serve(void *argument)
{
	struct server *server = argument;
	int fd = accept(server->fd, NULL, NULL);

	while (!is_complete(server) && server->size < sizeof(server->request) - 1) {
		ssize_t got = read(fd, server->request + server->size,
				   sizeof(server->request) - 1 - server->size);

		if (got <= 0)
			break;
		server->size += (size_t)got;
	}
	server->request[server->size] = '\0';
	if (write(fd, server->answer, strlen(server->answer)) < 0)
		note("cannot answer: %s", strerror(errno));
	close(fd);
	return NULL;
}

static int listen_on(struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);

	server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->fd, (struct sockaddr *)&address, size) || listen(server->fd, 1) ||
	    getsockname(server->fd, (struct sockaddr *)&address, &size))
		bail_out("there is no loopback to listen on");
	snprintf(server->url, sizeof(server->url), "http://127.0.0.1:%d/path?q=1",
		 ntohs(address.sin_port));
	return server->fd;
}

/* Sends a request to a server with that answer. */
static int send_to(struct server *server, const char *answer, struct http_request request,
		   struct http_response *response, struct err *err)
{
	int status;

	*server = (struct server){ .answer = answer };
	listen_on(server);
	pthread_create(&server->thread, NULL, serve, server);
	request.url = server->url;
	status = http_send(&request, response, err);
	pthread_join(server->thread, NULL);
	close(server->fd);
	return status;
}

static void answers(void)
{
	static const char *const headers[] = { "X-One: 1", NULL };
	struct http_request post = {
		.method = "POST", .body = "a\0b", .body_size = 3, .headers = headers
	};
	struct http_response response;
	struct server server;
	struct err err;

	if (!ok(send_to(&server,
			"HTTP/1.1 503 No\r\nRetry-After: 7\r\nContent-Type: text/x\r\n"
			"Content-Length: 5\r\n\r\nhello",
			post, &response, &err) == 0,
		"any status is a response"))
		bail_out(err.text);
	ok(response.status == 503 && response.retry_after_s == 7, "status and Retry-After");
	ok(response.size == 5 && strcmp(response.body, "hello") == 0 &&
		   strcmp(response.type, "text/x") == 0,
	   "body and type");
	ok(strncmp(server.request, "POST /path?q=1 HTTP/1.1\r\n", 25) == 0 &&
		   strstr(server.request, "\r\nX-One: 1\r\n"),
	   "method, path and headers are sent");
	ok(server.size > 3 && memcmp(server.request + server.size - 3, "a\0b", 3) == 0,
	   "any bytes are a body");
	http_response_free(&response);
	ok(send_to(&server,
		   "HTTP/1.1 302 No\r\nLocation: ftp://other/\r\nContent-Length: 0\r\n\r\n", post,
		   &response, &err) == 0 &&
		   response.status == 302 && strcmp(response.location, "ftp://other/") == 0,
	   "a redirect is not followed");
	http_response_free(&response);
}

static void failures(void)
{
	struct http_request get = { .method = "GET", .timeout_s = 5 };
	struct http_response response;
	struct server server;
	struct err err;

	ok(send_to(&server, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello", get, &response,
		   &err) == -EPROTO,
	   "a response that is cut short is none: %s", err.text);
	get.response_max = 4;
	ok(send_to(&server, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", get, &response,
		   &err) == -EMSGSIZE,
	   "one that is too long neither: %s", err.text);
	get.url = "http://127.0.0.1:1/";
	ok(http_send(&get, &response, &err) == -ECONNREFUSED && strstr(err.text, "127.0.0.1:1"),
	   "no server is there: %s", err.text);
	get.url = "http://user:secret@nowhere.invalid/";
	ok(http_send(&get, &response, &err) < 0 && !strstr(err.text, "secret"),
	   "no secret is in a message: %s", err.text);
	get.url = "file:///etc/passwd";
	ok(http_send(&get, &response, &err) == -EINVAL, "only HTTP is spoken: %s", err.text);
}

int main(void)
{
	unsetenv("http_proxy");
	answers();
	failures();
	return tap_done();
}
