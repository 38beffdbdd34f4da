/* SPDX-License-Identifier: MIT
 *
 * ledger.h - the numbers of what a receiver has accepted: a file with a line for each, with the
 * time and the outcome. It forgets the oldest if it grows too large, and says how many.
 */
#ifndef DWELL_FLEET_LEDGER_H
#define DWELL_FLEET_LEDGER_H

#include "base/hash.h"
#include "spool_file.h"

/* Free with ledger_close(). */
struct ledger {
	char *path;
	char (*ids)[SPOOL_ID_TEXT];
	size_t count;
	struct hash by_id; /* a hash of the number -> index in ids */
	size_t forgotten;  /* lines that were dropped when it was opened */
};

/* Reads the ledger of a folder, if it has one. bytes_max: if it is larger, the older half of its
 * lines is dropped; 0: no limit. */
int ledger_open(struct ledger *ledger, const char *folder, uint64_t bytes_max, struct err *err);
void ledger_close(struct ledger *ledger);

bool ledger_has(const struct ledger *ledger, const char *id);

/* Adds a line, which is on the disk then. outcome: one word. */
int ledger_add(struct ledger *ledger, const char *id, const char *outcome, struct err *err);

#endif
