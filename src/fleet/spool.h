/* SPDX-License-Identifier: MIT
 *
 * spool.h - the state of one receiver between two runs of `dwell push`: a folder with
 *
 *	url		the receiver's address, for people
 *	ledger		a line for each recording that was sent: its number, the time, the outcome
 *	waiting/	messages to be sent by the next run, a file each, named by the number
 *	rejected/	messages that the receiver will not take
 *	lock		held while a run lasts, so that two runs do not send the same
 *
 * Files are written as a whole or not at all, and are on the disk before anything relies on them.
 */
#ifndef DWELL_FLEET_SPOOL_H
#define DWELL_FLEET_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"
#include "receiver.h"

enum spool_room { SPOOL_WAITING, SPOOL_REJECTED };

/* Free with spool_close(). */
struct spool {
	char *folder;
	int lock;
	char (*sent)[RECEIVER_ID_TEXT]; /* numbers in the ledger */
	size_t sent_count;
	struct hash by_id; /* a hash of the number -> index in sent */
};

/* Opens the folder of a receiver, which is created in state if need be, and waits for its lock.
 * state: NULL for the user's own. */
int spool_open(struct spool *spool, const char *state, const struct receiver *receiver,
	       struct err *err);
void spool_close(struct spool *spool);

/* Returns whether a recording was sent before. */
bool spool_was_sent(const struct spool *spool, const char *id);

/* Notes that a recording was sent. outcome: one word. */
int spool_note_sent(struct spool *spool, const char *id, const char *outcome, struct err *err);

/* Keeps a message. */
int spool_put(const struct spool *spool, enum spool_room room,
	      const struct receiver_message *message, struct err *err);
bool spool_has(const struct spool *spool, enum spool_room room, const char *id);

/* Lists the numbers of kept messages, the oldest first; free the list. */
int spool_list(const struct spool *spool, enum spool_room room, char (**ids)[RECEIVER_ID_TEXT],
	       size_t *count, struct err *err);

/* Reads a message, which must be for this receiver. Free with receiver_message_free(). */
int spool_get(const struct spool *spool, enum spool_room room, const char *id,
	      const struct receiver *receiver, struct receiver_message *message, struct err *err);
int spool_remove(const struct spool *spool, enum spool_room room, const char *id, struct err *err);

#endif
