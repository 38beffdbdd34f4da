/* SPDX-License-Identifier: MIT
 *
 * fuzz_receiver.c - a receiver's response to `dwell push`, and a message that was kept, of foreign
 * bytes. The first byte chooses the status, the second one of these.
 */
#include "fuzz.h"

#include "fleet/otlp_answer.h"
#include "fleet/receiver.h"
#include "fleet/spool_file.h"

static void judge(const char *address, int status, const char *type, const char *bytes, size_t size)
{
	struct http_response response = { .status = status,
					  .type = (char *)type,
					  .location = (char *)"",
					  .body = (char *)bytes,
					  .size = size };
	struct receiver receiver;
	struct err err;
	enum receiver_verdict verdict;

	fuzz_need(receiver_parse(&receiver, address, &err) == 0, "there is no such receiver");
	verdict = receiver_judge(&receiver, &response, &err);
	/* There is a reason for everything that is not accepted. */
	if (verdict != RECEIVER_ACCEPTED && !*err.text)
		abort();
	receiver_free(&receiver);
}

static void parse_kept(const char *bytes, size_t size)
{
	struct spool_message message;
	struct err err;

	if (spool_file_parse(&message, bytes, size, "file", &err))
		return;
	if (message.size > size || strlen(message.id) != SPOOL_ID_TEXT - 1)
		abort();
	spool_message_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const int statuses[] = { 200, 202, 302, 400, 404, 429, 500, 503, 999 };
	/* As http.c has it, with a '\0' behind; of the exact size, so that the sanitizer sees more.
	 */
	char *copy;

	if (size < 2)
		return 0;
	copy = malloc(size - 2 + 1);
	fuzz_need(copy, "there is no memory");
	memcpy(copy, bytes + 2, size - 2);
	copy[size - 2] = '\0';
	if (bytes[1] & 1)
		parse_kept(copy, size - 2);
	else
		judge(bytes[1] & 2 ? "pprof+http://host" : "otlp+http://host",
		      statuses[bytes[0] % (sizeof(statuses) / sizeof(statuses[0]))],
		      bytes[1] & 4 ? "application/json" : "application/x-protobuf", copy, size - 2);
	free(copy);
	return 0;
}
