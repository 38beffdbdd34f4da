/* SPDX-License-Identifier: MIT */
#include "deliver.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The longest pause between two attempts, unless the receiver asks for more. */
#define PAUSE_MAX_S 32

/* More than any response of a receiver. */
#define RESPONSE_MAX ((size_t)1 << 20)

/* Returns a pause of up to a quarter longer, so that many machines do not come back in step. */
static double with_jitter(double pause_s)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return pause_s * (1 + (double)((now.tv_nsec ^ getpid()) % 250) / 1000);
}

static void pause_for(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* Sets the headers of all requests, and one that names the message: a receiver that looks at it can
 * tell the same one twice. NULL: no memory. */
static const char **headers_of(const struct push *push, const char *key)
{
	const char **headers = calloc(push->credentials.count + 2, sizeof(*headers));

	for (size_t i = 0; headers && i < push->credentials.count; i++)
		headers[i] = push->credentials.headers[i];
	if (headers)
		headers[push->credentials.count] = key;
	return headers;
}

/* Makes one attempt. */
static int attempt(const struct push *push, const struct spool_message *message,
		   enum receiver_verdict *verdict, unsigned *wait_s, struct err *sentence,
		   struct err *err)
{
	char key[64];
	const char **headers = headers_of(push, key);
	struct http_request request = { .method = "POST",
					.url = message->url,
					.headers = headers,
					.body = message->body,
					.body_size = message->size,
					.timeout_s = push->options->timeout_s,
					.response_max = RESPONSE_MAX,
					.tls = push->tls,
					.once = true };
	struct http_response response;
	int status;

	snprintf(key, sizeof(key), "Idempotency-Key: %s", message->id);
	*wait_s = 0;
	status = headers ? http_send(&request, &response, sentence) : err_no_memory(err);
	if (!headers)
		return status;
	free(headers);
	if (!status) {
		*verdict = receiver_judge(&push->receiver, &response, sentence);
		*wait_s = response.retry_after_s;
		http_response_free(&response);
		return 0;
	}
	*verdict = status == -EACCES ? RECEIVER_DENIED : RECEIVER_AWAY;
	if (status != -EINVAL && status != -ENOENT && status != -ENOMEM)
		return 0;
	*err = *sentence;
	return status;
}

int deliver(struct push *push, const struct spool_message *message, enum receiver_verdict *verdict,
	    struct err *sentence, struct err *err)
{
	double pause_s = 1, waited_s = 0;
	unsigned wait_s;

	*verdict = RECEIVER_AWAY;
	while (!push->is_away) {
		int status = attempt(push, message, verdict, &wait_s, sentence, err);
		double next_s = with_jitter(wait_s > pause_s ? wait_s : pause_s);

		if (status || *verdict != RECEIVER_AWAY)
			return status;
		push->is_away = waited_s + next_s > push->options->retry_s;
		if (push->is_away)
			return 0;
		pause_for(next_s);
		waited_s += next_s;
		pause_s = 2 * pause_s > PAUSE_MAX_S ? PAUSE_MAX_S : 2 * pause_s;
	}
	return 0;
}
