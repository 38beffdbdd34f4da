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
static struct spool_place place = { .state = state,
				    .verb = "push",
				    .name = "otlp",
				    .url = "http://host/v1development/profiles",
				    .bytes_max = SPOOL_BYTES_MAX };
static struct spool_message message = { .id = ID,
					.title = (char *)"a\nname",
					.url = (char *)"http://host/v1development/profiles",
					.body = (char *)"b\0dy",
					.size = 4 };

static void open_it(struct spool *spool)
{
	if (spool_open(spool, &place, &err))
		bail_out(err.text);
}

static void ledger(void)
{
	struct spool spool;
	char path[256];
	int fd;

	open_it(&spool);
	ok(!ledger_has(&spool.ledger, ID), "nothing was sent yet");
	ok(ledger_add(&spool.ledger, ID, "sent", &err) == 0 && ledger_has(&spool.ledger, ID) &&
		   !ledger_has(&spool.ledger, OTHER),
	   "a recording was");
	snprintf(path, sizeof(path), "%s/ledger", spool.folder);
	fd = open(path, O_WRONLY | O_APPEND);
	if (write(fd, OTHER, strlen(OTHER)) != (ssize_t)strlen(OTHER))
		bail_out("the ledger cannot be cut");
	close(fd);
	spool_close(&spool);
	open_it(&spool);
	ok(ledger_has(&spool.ledger, ID) && !ledger_has(&spool.ledger, OTHER),
	   "the next run knows; a line that is cut is none");
	ok(ledger_add(&spool.ledger, OTHER, "sent", &err) == 0, "a line goes behind it");
	spool_close(&spool);
	open_it(&spool);
	ok(ledger_has(&spool.ledger, ID) && ledger_has(&spool.ledger, OTHER), "and both are read");
	spool_close(&spool);
}

static void messages(void)
{
	struct spool spool;
	struct spool_message got;
	struct spool elsewhere;
	char(*ids)[SPOOL_ID_TEXT];
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
	if (spool_get(&spool, SPOOL_WAITING, ID, &got, &err))
		bail_out(err.text);
	ok(got.size == 4 && memcmp(got.body, "b\0dy", 4) == 0 && strcmp(got.title, "a?name") == 0 &&
		   strcmp(got.url, message.url) == 0 && strcmp(got.id, ID) == 0,
	   "and is what it was");
	spool_message_free(&got);
	elsewhere = spool;
	elsewhere.url = (char *)"http://evil/v1development/profiles";
	ok(spool_get(&elsewhere, SPOOL_WAITING, ID, &got, &err) == -EINVAL,
	   "it goes to no other server: %s", err.text);
	ok(spool_remove(&spool, SPOOL_WAITING, ID, &err) == 0 &&
		   !spool_has(&spool, SPOOL_WAITING, ID) &&
		   spool_remove(&spool, SPOOL_WAITING, ID, &err) == 0,
	   "and removed");
	spool_close(&spool);
}

/* Three of four kilobytes are for messages, and one is for the ledger. */
static void limits(void)
{
	static char body[1500];
	struct spool_message large = message, other = message;
	struct spool spool;

	large.body = other.body = body;
	large.size = other.size = sizeof(body);
	strcpy(other.id, OTHER);
	place.bytes_max = 4096;
	place.name = "small";
	open_it(&spool);
	ok(spool_put(&spool, SPOOL_WAITING, &large, &err) == 0 &&
		   spool_put(&spool, SPOOL_WAITING, &large, &err) == 0,
	   "a message that replaces itself needs no more room");
	ok(spool_put(&spool, SPOOL_REJECTED, &other, &err) == -EDQUOT &&
		   strstr(err.text, "--state-max") && !spool_has(&spool, SPOOL_REJECTED, OTHER),
	   "one that has no room is refused: %s", err.text);
	spool_close(&spool);
	open_it(&spool);
	ok(spool_put(&spool, SPOOL_REJECTED, &other, &err) == -EDQUOT,
	   "the next run knows what is there");
	ok(spool_remove(&spool, SPOOL_WAITING, ID, &err) == 0 &&
		   spool_put(&spool, SPOOL_REJECTED, &other, &err) == 0,
	   "there is room again once it is gone");
	spool_close(&spool);
}

static void forgetting(void)
{
	struct spool spool;
	char id[SPOOL_ID_TEXT];
	bool all = true;

	open_it(&spool);
	for (int i = 0; i < 30; i++) {
		snprintf(id, sizeof(id), "%032x", (unsigned)i);
		all = all && ledger_add(&spool.ledger, id, "sent", &err) == 0;
	}
	ok(all && spool.ledger.forgotten == 0, "30 lines are written");
	spool_close(&spool);
	open_it(&spool);
	ok(spool.ledger.forgotten == 15 && spool.ledger.count == 15,
	   "a ledger above its limit forgets the older half, and counts that: %zu",
	   spool.ledger.forgotten);
	ok(ledger_has(&spool.ledger, id), "the newest is there");
	snprintf(id, sizeof(id), "%032x", 14U);
	ok(!ledger_has(&spool.ledger, id), "an old one is not");
	spool_close(&spool);
	open_it(&spool);
	ok(spool.ledger.forgotten == 0 && spool.ledger.count == 15, "once");
	spool_close(&spool);
}

static void sizes(void)
{
	uint64_t bytes;

	ok(!spool_parse_max("2G", &bytes, &err) && bytes == UINT64_C(2) << 30 &&
		   !spool_parse_max("1K", &bytes, &err) && bytes == 1024,
	   "sizes have units");
	ok(spool_parse_max("0G", &bytes, &err) && spool_parse_max("7", &bytes, &err) &&
		   spool_parse_max("1T", &bytes, &err) && spool_parse_max("1GB", &bytes, &err) &&
		   spool_parse_max("", &bytes, &err),
	   "and nothing else: %s", err.text);
}

static void damage(void)
{
	static const char whole[] = "dwell message 1\n" ID "\nname\nhttp://host/path\n4\n\nbody";
	struct spool_message got;
	bool any = false;

	ok(spool_file_parse(&got, whole, sizeof(whole) - 1, "file", &err) == 0, "a file");
	spool_message_free(&got);
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

	if (!mkdtemp(state))
		bail_out("there is no folder");
	ledger();
	messages();
	damage();
	limits();
	forgetting();
	sizes();
	snprintf(command, sizeof(command), "rm -r %s", state);
	return system(command) ? 1 : tap_done();
}
