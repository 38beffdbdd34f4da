/* SPDX-License-Identifier: MIT */
#include "push.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "deliver.h"

__attribute__((format(printf, 2, 3))) static void note(const struct push *push, const char *format,
						       ...)
{
	struct err text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	push->options->note(text.text);
}

static int open_spool(struct push *push, struct err *err)
{
	const struct spool_place place = { .state = push->options->state,
					   .verb = "push",
					   .name = push->receiver.protocol->name,
					   .url = push->receiver.url,
					   .bytes_max = push->options->state_max };
	int status = spool_open(&push->spool, &place, err);

	if (!status && push->spool.ledger.forgotten)
		note(push,
		     "'%s' was too large, and has forgotten the %zu oldest recordings: they would "
		     "be sent again; " SPOOL_MAX_OPTION " sets another limit",
		     push->spool.ledger.path, push->spool.ledger.forgotten);
	return status;
}

int push_open(struct push *push, const struct push_options *options, struct err *err)
{
	int status;

	*push = (struct push){ .options = options, .tls = options->tls, .spool.lock = -1 };
	credentials_tls(&push->tls);
	status = receiver_parse(&push->receiver, options->to, err);
	if (!status)
		status = credentials_read(&push->credentials, &push->receiver, options->token_file,
					  err);
	if (!status)
		status = open_spool(push, err);
	if (status)
		push_close(push);
	else if (push->credentials.has_token && strncmp(push->receiver.url, "http:", 5) == 0)
		options->note("the token is sent unencrypted: use https where others share the "
			      "network");
	return status;
}

void push_close(struct push *push)
{
	spool_close(&push->spool);
	credentials_free(&push->credentials);
	receiver_free(&push->receiver);
}

/* Keeps a message and counts it, or reports that the spool is full: the recording is still there.
 */
static int keep(struct push *push, enum spool_room room, const struct spool_message *message,
		struct err *err)
{
	int status = spool_put(&push->spool, room, message, err);

	if (status == -EDQUOT) {
		note(push, "%s", err->text);
		push->tally.failed++;
		return 0;
	}
	if (!status && room == SPOOL_WAITING)
		push->tally.kept++;
	else if (!status)
		push->tally.rejected++;
	return status;
}

/* Acts on a verdict about a message. Nothing is forgotten before something else has it. */
static int settle_message(struct push *push, const struct spool_message *message,
			  enum receiver_verdict verdict, struct err *err)
{
	int status;

	switch (verdict) {
	case RECEIVER_ACCEPTED:
		push->tally.sent++;
		return ledger_add(&push->spool.ledger, message->id, "sent", err);
	case RECEIVER_PARTIAL:
		status = keep(push, SPOOL_REJECTED, message, err);
		return status ? status
			      : ledger_add(&push->spool.ledger, message->id, "partial", err);
	case RECEIVER_REJECTED:
		return keep(push, SPOOL_REJECTED, message, err);
	case RECEIVER_DENIED:
	case RECEIVER_AWAY:
		break;
	}
	if (!spool_has(&push->spool, SPOOL_WAITING, message->id))
		return keep(push, SPOOL_WAITING, message, err);
	push->tally.kept++;
	return 0;
}

/* Sends a message, and tells what the receiver said. */
static int send_message(struct push *push, const struct spool_message *message,
			enum receiver_verdict *verdict, struct err *err)
{
	bool was_away = push->is_away;
	struct err sentence = { "" };
	int status = deliver(push, message, verdict, &sentence, err);

	if (status)
		return status;
	if (*sentence.text && !was_away)
		note(push, "'%s': %s", message->title, sentence.text);
	return settle_message(push, message, *verdict, err);
}

static int send_waiting(struct push *push, enum spool_room room, const char *id, struct err *err)
{
	struct spool_message message;
	enum receiver_verdict verdict;
	struct err why;
	int status;

	/* Killed between the ledger and the removal. */
	if (room == SPOOL_WAITING && ledger_has(&push->spool.ledger, id))
		return spool_remove(&push->spool, room, id, err);
	if (spool_get(&push->spool, room, id, &message, &why)) {
		note(push, "%s", why.text);
		push->tally.failed++;
		return 0;
	}
	status = send_message(push, &message, &verdict, err);
	if (!status && verdict != RECEIVER_DENIED && verdict != RECEIVER_AWAY &&
	    (room == SPOOL_WAITING || verdict == RECEIVER_ACCEPTED))
		status = spool_remove(&push->spool, room, id, err);
	spool_message_free(&message);
	return status;
}

static int send_room(struct push *push, enum spool_room room, struct err *err)
{
	char(*ids)[SPOOL_ID_TEXT];
	size_t count;
	int status = spool_list(&push->spool, room, &ids, &count, err);

	for (size_t i = 0; i < count && !status; i++)
		status = send_waiting(push, room, ids[i], err);
	free(ids);
	return status;
}

int push_waiting(struct push *push, struct err *err)
{
	int status = push->options->again ? send_room(push, SPOOL_REJECTED, err) : 0;

	return status ? status : send_room(push, SPOOL_WAITING, err);
}

/* Returns whether everything is in the recording that will ever be. */
static bool is_complete(const struct reader *reader)
{
	return reader->header.ended.ns && reader->missing == 0;
}

/* Sends what was read of a recording. */
static int send_read(struct push *push, const struct export_source *source, struct err *err)
{
	struct spool_message message;
	enum receiver_verdict verdict;
	struct err why;
	int status;

	if (receiver_write(&push->receiver, source, source->reader->path, &message, &why)) {
		note(push, "%s", why.text);
		push->tally.failed++;
		return 0;
	}
	status = send_message(push, &message, &verdict, err);
	spool_message_free(&message);
	return status;
}

static bool has_values(const struct export_source *source)
{
	return (source->profile && source->profile->totals.kept.samples) ||
	       (source->calls && source->calls->totals.calls);
}

/* Reads samples and calls, and sends them. */
static int send_source(struct push *push, struct export_source *source, struct err *err)
{
	struct profile profile;
	struct calls calls;
	bool is_sampled = profile_exists(source->reader);
	struct err why;
	int status;

	if (is_sampled && profile_read(&profile, source->reader, source->filter, &why)) {
		note(push, "%s", why.text);
		push->tally.failed++;
		return 0;
	}
	source->profile = is_sampled ? &profile : NULL;
	status = calls_merge(&calls, source->reader, CALLS_BY_PROCESS, err);
	if (!status) {
		source->calls = calls.count ? &calls : NULL;
		if (has_values(source)) {
			status = send_read(push, source, err);
		} else {
			note(push, "'%s' contains neither samples nor calls", source->reader->path);
			push->tally.empty++;
		}
		calls_free(&calls);
	}
	if (is_sampled)
		profile_free(&profile);
	return status;
}

/* Returns whether a message with this number needs no sending, and counts it. */
static bool is_known(struct push *push, const char *id)
{
	if (ledger_has(&push->spool.ledger, id)) {
		push->tally.known++;
		return true;
	}
	/* Counted when it was tried, at the beginning of this run. */
	return spool_has(&push->spool, SPOOL_WAITING, id) ||
	       spool_has(&push->spool, SPOOL_REJECTED, id);
}

static int send_reader(struct push *push, const struct reader *reader, struct err *err)
{
	struct profile_filter filter = { .lines = true };
	struct resources resources;
	struct export_source source = { .reader = reader,
					.filter = &filter,
					.resources = &resources,
					.wire = push->options->wire };
	char id[SPOOL_ID_TEXT];
	int status = resources_read(&resources, reader, &push->options->labels, err);

	if (status)
		return status;
	if (!is_complete(reader))
		resource_mark_incomplete(&resources, reader);
	resource_print_id(resources.id, id);
	if (!is_known(push, id))
		status = send_source(push, &source, err);
	resources_free(&resources);
	profile_filter_fini(&filter);
	return status;
}

/* Reads the header of a file. Returns whether it is a recording's. */
static bool read_header(const char *path, struct record_header *header)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got = fd < 0 ? -1 : pread(fd, header, sizeof(*header), 0);

	if (fd >= 0)
		close(fd);
	return got >= (ssize_t)offsetof(struct record_header, handovers) &&
	       memcmp(header->magic, RECORD_MAGIC, sizeof(header->magic)) == 0;
}

/* Sends a file. in_folder: found there, so that one without an end is left for later. */
static int push_file(struct push *push, const char *path, bool in_folder, struct err *err)
{
	struct record_header header = { 0 };
	char id[SPOOL_ID_TEXT];
	uint8_t number[RESOURCE_ID_BYTES];
	struct reader reader;
	struct err why;
	int status;

	/* Most files of a folder were sent before: their headers are enough. */
	if (read_header(path, &header)) {
		resource_header_id(&header, number);
		resource_print_id(number, id);
		if (header.ended.ns && is_known(push, id))
			return 0;
	} else if (in_folder) {
		return 0;
	}
	if (reader_open(&reader, path, &why)) {
		note(push, "%s", why.text);
		push->tally.failed++;
		return 0;
	}
	if (is_complete(&reader) || push->options->takes_incomplete) {
		status = send_reader(push, &reader, err);
	} else {
		status = 0;
		if (in_folder) {
			push->tally.skipped++;
		} else {
			push->tally.failed++;
			note(push,
			     "'%s' has no end: it is being recorded, or was cut short; "
			     "--incomplete sends what there is",
			     path);
		}
	}
	reader_close(&reader);
	return status;
}

static int is_visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static int push_folder(struct push *push, const char *path, struct err *err)
{
	struct dirent **list;
	int count = scandir(path, &list, is_visible, alphasort), status = 0;

	if (count < 0)
		return err_set(err, errno, "cannot read '%s': %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		char *inner = NULL;
		struct stat info;

		if (!status && asprintf(&inner, "%s/%s", path, list[i]->d_name) < 0) {
			inner = NULL;
			status = err_no_memory(err);
		}
		if (inner && stat(inner, &info) == 0 && S_ISREG(info.st_mode))
			status = push_file(push, inner, true, err);
		free(inner);
		free(list[i]);
	}
	free(list);
	return status;
}

int push_path(struct push *push, const char *path, struct err *err)
{
	struct stat info;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return push_folder(push, path, err);
	return push_file(push, path, false, err);
}
