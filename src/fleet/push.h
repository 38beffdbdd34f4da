/* SPDX-License-Identifier: MIT
 *
 * push.h - sends recordings to a receiver, each once. A receiver that is away, slow or refuses
 * loses nothing: messages are kept (spool.h) and sent by the next run.
 */
#ifndef DWELL_FLEET_PUSH_H
#define DWELL_FLEET_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/label_list.h"
#include "credentials.h"
#include "spool.h"

/* Called with a sentence for the user. */
typedef void push_note(const char *text);

struct push_options {
	const char *to;         /* the receiver's address */
	const char *state;      /* folder; NULL: the user's own */
	uint64_t state_max;     /* bytes */
	const char *token_file; /* NULL: none */
	struct http_tls tls;
	unsigned timeout_s; /* for a request */
	unsigned retry_s;   /* how long to wait for a receiver that is away, in total */
	enum export_wire wire;
	bool takes_incomplete; /* recordings without an end, too */
	bool again;            /* what was rejected, too */
	struct label_list labels;
	push_note *note;
};

/* Numbers of recordings. */
struct push_tally {
	size_t sent;     /* accepted by the receiver now */
	size_t known;    /* accepted before */
	size_t empty;    /* without samples and calls */
	size_t kept;     /* waiting for the next run */
	size_t rejected; /* kept, but not sent again */
	size_t skipped;  /* in a folder, without an end */
	size_t failed;   /* that cannot be read */
};

/* One run. Free with push_close(). */
struct push {
	const struct push_options *options;
	struct receiver receiver;
	struct credentials credentials;
	struct http_tls tls;
	struct spool spool;
	struct push_tally tally;
	bool is_away; /* the receiver, after all attempts: nothing more is tried */
};

/* Begins a run: waits for another one that is under way. */
int push_open(struct push *push, const struct push_options *options, struct err *err);
void push_close(struct push *push);

/* Sends the messages that earlier runs have kept. Returns an error only if the state cannot be
 * relied on, as does the next. */
int push_waiting(struct push *push, struct err *err);

/* Sends a recording, or all recordings of a folder that are complete. */
int push_path(struct push *push, const char *path, struct err *err);

#endif
