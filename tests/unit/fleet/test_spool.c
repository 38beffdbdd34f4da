/* SPDX-License-Identifier: MIT */
#include "fleet/spool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/spool_file.h"
#include "tap.h"

#define ID    "0123456789abcdef0123456789abcdef"
#define OTHER "f123456789abcdef0123456789abcdef"

static struct err err;
static char state[] = "/tmp/dwell-spool-XXXXXX";
static struct receiver receiver;
static struct receiver_message message = { .id = ID,
					   .title = (char *)"a\nname",
					   .url = (char *)"http://host/v1development/profiles",
					   .body = (char *)"b\0dy",
					   .size = 4 };

static void open_it(struct spool *spool)
{
	if (spool_open(spool, state, &receiver, &err))
		bail_out(err.text);
}

static void ledger(void)
{
	struct spool spool;
	char path[256];
	int fd;

	open_it(&spool);
	ok(!spool_was_sent(&spool, ID), "nothing was sent yet");
	ok(spool_note_sent(&spool, ID, "sent", &err) == 0 && spool_was_sent(&spool, ID) &&
		   !spool_was_sent(&spool, OTHER),
	   "a recording was");
	snprintf(path, sizeof(path), "%s/ledger", spool.folder);
	fd = open(path, O_WRONLY | O_APPEND);
	if (write(fd, OTHER, 20) != 20)
		bail_out("the ledger cannot be cut");
	close(fd);
	spool_close(&spool);
	open_it(&spool);
	ok(spool_was_sent(&spool, ID) && !spool_was_sent(&spool, OTHER),
	   "the next run knows; a line that is cut is none");
	ok(spool_note_sent(&spool, OTHER, "sent", &err) == 0, "a line goes behind it");
	spool_close(&spool);
	open_it(&spool);
	ok(spool_was_sent(&spool, ID) && spool_was_sent(&spool, OTHER), "and both are read");
	spool_close(&spool);
}

static void messages(void)
{
	struct spool spool;
	struct receiver_message got;
	struct receiver elsewhere;
	char(*ids)[RECEIVER_ID_TEXT];
	size_t count;
	struct stat info;

	open_it(&spool);
	ok(stat(spool.folder, &info) == 0 && (info.st_mode & 0777) == 0700, "only we can read it");
	ok(spool_put(&spool, SPOOL_WAITING, &message, &err) == 0 &&
		   spool_has(&spool, SPOOL_WAITING, ID) && !spool_has(&spool, SPOOL_REJECTED, ID),
	   "a message is kept");
	ok(spool_list(&spool, SPOOL_WAITING, &ids, &count, &err) == 0 && count == 1 &&
		   strcmp(ids[0], ID) == 0,
	   "and found");
	free(ids);
	if (spool_get(&spool, SPOOL_WAITING, ID, &receiver, &got, &err))
		bail_out(err.text);
	ok(got.size == 4 && memcmp(got.body, "b\0dy", 4) == 0 && strcmp(got.title, "a?name") == 0 &&
		   strcmp(got.url, message.url) == 0 && strcmp(got.id, ID) == 0,
	   "and is what it was");
	receiver_message_free(&got);
	if (receiver_parse(&elsewhere, "otlp+http://evil", &err))
		bail_out(err.text);
	ok(spool_get(&spool, SPOOL_WAITING, ID, &elsewhere, &got, &err) == -EINVAL,
	   "it goes to no other receiver: %s", err.text);
	receiver_free(&elsewhere);
	ok(spool_remove(&spool, SPOOL_WAITING, ID, &err) == 0 &&
		   !spool_has(&spool, SPOOL_WAITING, ID) &&
		   spool_remove(&spool, SPOOL_WAITING, ID, &err) == 0,
	   "and removed");
	spool_close(&spool);
}

static void damage(void)
{
	static const char whole[] = "dwell message 1\n" ID "\nname\nhttp://host/path\n4\n\nbody";
	struct receiver_message got;
	bool any = false;

	ok(spool_file_parse(&got, whole, sizeof(whole) - 1, "file", &err) == 0, "a file");
	receiver_message_free(&got);
	for (size_t i = 0; i < sizeof(whole) - 1; i++)
		any = any || spool_file_parse(&got, whole, i, "file", &err) == 0;
	ok(!any, "is whole or none: %s", err.text);
	for (size_t i = 0; i < sizeof(whole) - 5; i++) {
		char changed[sizeof(whole)];

		memcpy(changed, whole, sizeof(whole));
		changed[i] = '\0';
		any = any || spool_file_parse(&got, changed, sizeof(whole) - 1, "file", &err) == 0;
	}
	ok(!any, "and its head has no zero bytes");
}

int main(void)
{
	char command[64];

	if (!mkdtemp(state) || receiver_parse(&receiver, "otlp+http://host", &err))
		bail_out("there is no folder");
	ledger();
	messages();
	damage();
	receiver_free(&receiver);
	snprintf(command, sizeof(command), "rm -r %s", state);
	return system(command) ? 1 : tap_done();
}
