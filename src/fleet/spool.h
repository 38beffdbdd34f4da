/* SPDX-License-Identifier: MIT
 *
 * spool.h - the state of one server between two runs of `dwell push` or `dwell store load`: a
 * folder with
 *
 *	url		the server's address, for people
 *	ledger		push: what was sent (ledger.h)
 *	waiting/	messages to be sent by the next run, a file each, named by the number
 *	rejected/	messages that the server will not take
 *	lock		held while a run lasts, so that two runs do not send the same
 *
 * Files are written as a whole or not at all, and are on the disk before anything relies on them.
 * All of them together take no more than a limit: a message that has no room is refused, and its
 * recording is still there.
 */
#ifndef DWELL_FLEET_SPOOL_H
#define DWELL_FLEET_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ledger.h"
#include "spool_file.h"

enum spool_room { SPOOL_WAITING, SPOOL_REJECTED };

/* The default limit. */
#define SPOOL_BYTES_MAX (UINT64_C(1) << 30)

/* The option for another. */
#define SPOOL_MAX_OPTION "--state-max"

/* The server, and where its state is. */
struct spool_place {
	const char *state; /* folder; NULL: the user's own */
	const char *verb;  /* a folder in that */
	const char *name;  /* begins the name of the spool's folder */
	const char *url;   /* all messages go to it */
	uint64_t bytes_max;
};

/* Free with spool_close(). */
struct spool {
	char *folder;
	char *url;
	int lock;
	struct ledger ledger;
	uint64_t bytes, bytes_max; /* of messages */
};

/* Opens the folder of a server, which is created if need be, and waits for its lock. */
int spool_open(struct spool *spool, const struct spool_place *place, struct err *err);
void spool_close(struct spool *spool);

/* Keeps a message. Returns -EDQUOT if there is no room for it. */
int spool_put(struct spool *spool, enum spool_room room, const struct spool_message *message,
	      struct err *err);
bool spool_has(const struct spool *spool, enum spool_room room, const char *id);

/* Lists the numbers of kept messages, the oldest first; free the list. */
int spool_list(const struct spool *spool, enum spool_room room, char (**ids)[SPOOL_ID_TEXT],
	       size_t *count, struct err *err);

/* Reads a message, which must be for this server. Free with spool_message_free(). */
int spool_get(const struct spool *spool, enum spool_room room, const char *id,
	      struct spool_message *message, struct err *err);
int spool_remove(struct spool *spool, enum spool_room room, const char *id, struct err *err);

/* Parses the value of SPOOL_MAX_OPTION. */
int spool_parse_max(const char *text, uint64_t *bytes, struct err *err);

#endif
