/* SPDX-License-Identifier: MIT */
#include "loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int open_target(struct loader *loader, const char *host,
		       const struct loader_options *options, struct loader_target *target,
		       struct err *err)
{
	struct spool_place place = { .state = options->state,
				     .verb = "store",
				     .name = "clickhouse",
				     .bytes_max = options->state_max };
	char *url = NULL;
	int status = server_open(&target->server, loader->url, host, &options->tls, err);

	if (status)
		return status;
	if (asprintf(&url, "http%s://%s/%s", loader->url->is_tls ? "s" : "", host,
		     loader->url->database) < 0)
		return err_no_memory(err);
	place.url = url;
	status = spool_open(&target->spool, &place, err);
	free(url);
	return status;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(**(char *const *const *)left, **(char *const *const *)right);
}

/* Opens all servers, by their names: two runs wait for each other's locks in the same order. */
static int open_targets(struct loader *loader, const struct loader_options *options,
			struct err *err)
{
	char **hosts = loader->url->hosts;
	char ***order = calloc(loader->url->count, sizeof(*order));
	int status = order ? 0 : err_no_memory(err);

	for (size_t i = 0; i < loader->url->count && order; i++)
		order[i] = &hosts[i];
	if (order)
		qsort(order, loader->url->count, sizeof(*order), by_name);
	for (size_t i = 0; i < loader->url->count && !status; i++)
		status = i && strcmp(*order[i - 1], *order[i]) == 0
				 ? err_set(err, EINVAL, "the URL names %s twice", *order[i])
				 : open_target(loader, *order[i], options,
					       &loader->targets[order[i] - hosts], err);
	free(order);
	return status;
}

int loader_init(struct loader *loader, const struct server_url *url,
		const struct loader_options *options, struct err *err)
{
	int status;

	*loader = (struct loader){ .url = url,
				   .targets = calloc(url->count, sizeof(*loader->targets)) };
	if (!loader->targets)
		return err_no_memory(err);
	for (size_t i = 0; i < url->count; i++)
		loader->targets[i].spool.lock = -1;
	status = open_targets(loader, options, err);
	if (status)
		loader_fini(loader);
	return status;
}

void loader_fini(struct loader *loader)
{
	for (size_t i = 0; loader->targets && i < loader->url->count; i++) {
		server_close(&loader->targets[i].server);
		spool_close(&loader->targets[i].spool);
	}
	free(loader->targets);
	loader->targets = NULL;
}

/* Returns whether a chunk will never be taken: it was stored when it had less, or is too large. */
static bool is_final(int status)
{
	return status == -EEXIST || status == -E2BIG;
}

/* Sends a chunk to a server. Returns -ENOTCONN if that has failed before. */
static int send_chunk(struct loader *loader, struct loader_target *target,
		      const struct load_chunk *chunk, struct err *err)
{
	enum chunk_outcome outcome;
	int status;

	if (target->is_away)
		return -ENOTCONN;
	status = server_check(&target->server, err);
	if (!status)
		status = chunk_send(chunk, &target->server, &outcome, err);
	target->is_away = status && !is_final(status);
	if (status) {
		loader->last = *err;
		loader->last_folder = target->spool.folder;
		return status;
	}
	if (outcome == CHUNK_KNOWN) {
		loader->totals.known++;
		return 0;
	}
	loader->totals.stored++;
	loader->totals.rows[chunk->table] += chunk->row_count;
	loader->totals.amount[chunk->table] += chunk->amount;
	return 0;
}

/* Keeps a chunk, whole or not at all. */
static int keep(struct loader *loader, struct loader_target *target, const struct load_chunk *chunk,
		struct err *err)
{
	struct spool_message message;
	int status = chunk_write(chunk, target->spool.url, &message, err);

	if (status)
		return status;
	status = spool_put(&target->spool, SPOOL_WAITING, &message, err);
	loader->totals.kept += !status;
	spool_message_free(&message);
	return status;
}

int loader_send(struct loader *loader, const struct piece *piece, struct err *err)
{
	int status = 0;

	for (struct chunk_part part = chunk_next(piece, NULL); part.from < part.until && !status;
	     part = chunk_next(piece, &part)) {
		struct loader_target *target;
		struct load_chunk chunk;

		status = chunk_make(&chunk, piece, &part, err);
		if (status)
			return status;
		target = &loader->targets[chunk_server(loader->url, chunk.host)];
		status = send_chunk(loader, target, &chunk, err);
		if (status && !is_final(status))
			status = keep(loader, target, &chunk, err);
		chunk_free(&chunk);
	}
	return status;
}

/* Sends a kept message, and decides where it stays. */
static int send_message(struct loader *loader, struct loader_target *target,
			const struct spool_message *message, struct err *err)
{
	struct load_chunk chunk;
	struct err why;
	int status;

	if (chunk_read(&chunk, message->body, message->size, &why)) {
		loader->totals.damaged++;
		loader->last_folder = target->spool.folder;
		err_set(&loader->last, EINVAL, "'%s' in the spool %s", message->id, why.text);
		return 0;
	}
	status = send_chunk(loader, target, &chunk, &why);
	chunk_free(&chunk);
	if (is_final(status)) {
		loader->totals.rejected++;
		status = spool_put(&target->spool, SPOOL_REJECTED, message, err);
		return status ? status
			      : spool_remove(&target->spool, SPOOL_WAITING, message->id, err);
	}
	loader->totals.kept += status != 0;
	return status ? 0 : spool_remove(&target->spool, SPOOL_WAITING, message->id, err);
}

static int send_waiting(struct loader *loader, struct loader_target *target, struct err *err)
{
	char(*ids)[SPOOL_ID_TEXT];
	size_t count;
	int status = spool_list(&target->spool, SPOOL_WAITING, &ids, &count, err);

	for (size_t i = 0; i < count && !status; i++) {
		struct spool_message message;

		if (spool_get(&target->spool, SPOOL_WAITING, ids[i], &message, &loader->last)) {
			loader->totals.damaged++;
			loader->last_folder = target->spool.folder;
			continue;
		}
		status = send_message(loader, target, &message, err);
		spool_message_free(&message);
	}
	free(ids);
	return status;
}

int loader_send_spool(struct loader *loader, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < loader->url->count && !status; i++)
		status = send_waiting(loader, &loader->targets[i], err);
	return status;
}
