/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "otlp_answer.h"
#include "receiver.h"

/* Returns whether a Content-Type is this one, whatever its parameters. */
static bool is_type(const char *type, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncasecmp(type, wanted, length) == 0 &&
	       (type[length] == '\0' || type[length] == ';' || type[length] == ' ');
}

/* Copies the first line of a body, for a sentence. */
static const char *first_line(const struct http_response *response, char *line, size_t size)
{
	size_t length = 0;

	while (length < response->size && length < size - 1 &&
	       !strchr("\r\n", response->body[length]))
		length++;
	memcpy(line, response->body, length);
	line[length] = '\0';
	return line;
}

/* Returns whether a body is an empty answer in JSON, spaces aside. */
static bool is_empty_json(const struct http_response *response)
{
	char text[32];
	size_t count = 0;

	for (size_t i = 0; i < response->size; i++) {
		if (isspace((unsigned char)response->body[i]))
			continue;
		if (count == sizeof(text) - 1)
			return false;
		text[count++] = response->body[i];
	}
	text[count] = '\0';
	return strcmp(text, "{}") == 0 || strcmp(text, "{\"partialSuccess\":{}}") == 0;
}

/* Judges the response to an accepted request of OTLP, which says what was accepted. */
static enum receiver_verdict judge_otlp(const struct http_response *response, struct err *sentence)
{
	struct otlp_answer answer;

	if (is_type(response->type, "application/json") && is_empty_json(response))
		return RECEIVER_ACCEPTED;
	if ((response->size && !is_type(response->type, "application/x-protobuf") &&
	     !is_type(response->type, "application/protobuf")) ||
	    !otlp_answer_parse(&answer, response->body, response->size)) {
		err_set(sentence, EPROTO,
			"the receiver's response, of type '%.64s', is not one of OTLP: is the "
			"address right?",
			response->type);
		return RECEIVER_DENIED;
	}
	if (answer.rejected) {
		err_set(sentence, EPROTO,
			"the receiver rejected %" PRIu64 " of the recording's profiles: %s",
			answer.rejected, *answer.message ? answer.message : "it did not say why");
		return RECEIVER_PARTIAL;
	}
	if (*answer.message)
		err_set(sentence, EPROTO, "the receiver warns: %s", answer.message);
	return RECEIVER_ACCEPTED;
}

/* Judges a response to a request that was accepted as such. */
static enum receiver_verdict judge_success(const struct receiver *receiver,
					   const struct http_response *response,
					   struct err *sentence)
{
	if (receiver->protocol->is_otlp)
		return judge_otlp(response, sentence);
	/* Any web server has a page for any address. */
	if (!is_type(response->type, "text/html"))
		return RECEIVER_ACCEPTED;
	err_set(sentence, EPROTO, "the receiver's response is a web page: is the address right?");
	return RECEIVER_DENIED;
}

static enum receiver_verdict judge_redirect(const struct http_response *response,
					    struct err *sentence)
{
	err_set(sentence, EPROTO,
		"the receiver redirects to '%.256s' (status %d): give the right address with --to",
		response->location, response->status);
	return RECEIVER_DENIED;
}

/* Returns the meaning of a status that is neither 2xx nor 3xx. The first group are those after
 * which OTLP lets a client try again; the second are not the message's fault. */
static enum receiver_verdict meaning_of(int status)
{
	switch (status) {
	case 408:
	case 429:
	case 502:
	case 503:
	case 504:
		return RECEIVER_AWAY;
	case 401:
	case 402:
	case 403:
	case 404:
	case 405:
	case 407:
	case 410:
		return RECEIVER_DENIED;
	default:
		return status < 400 || status >= 500 ? RECEIVER_DENIED : RECEIVER_REJECTED;
	}
}

enum receiver_verdict receiver_judge(const struct receiver *receiver,
				     const struct http_response *response, struct err *sentence)
{
	char line[200];

	*sentence->text = '\0';
	if (response->status >= 200 && response->status < 300)
		return judge_success(receiver, response, sentence);
	if (response->status >= 300 && response->status < 400)
		return judge_redirect(response, sentence);
	first_line(response, line, sizeof(line));
	err_set(sentence, EPROTO, "the receiver answered with status %d%s%s", response->status,
		*line ? ": " : "", line);
	return meaning_of(response->status);
}
