/* SPDX-License-Identifier: MIT */
#include "entry/xz.h"

#include <stdbool.h>

#include "entry/lzma.h"

#define HEAD_BYTES   12         /* of a stream */
#define UNPACKED_MAX (1u << 30) /* more is taken for damage */

enum { FILTER_LZMA2 = 0x21 };

/* A file being read. */
struct reader {
	const uint8_t *bytes;
	size_t size, at;
	bool is_bad;
};

static uint8_t next(struct reader *reader)
{
	if (reader->at < reader->size)
		return reader->bytes[reader->at++];
	reader->is_bad = true;
	return 0;
}

static void skip(struct reader *reader, size_t count)
{
	if (count > reader->size - reader->at)
		reader->is_bad = true;
	else
		reader->at += count;
}

/* Reads a number of at most 9 pieces of 7 bits, the lowest first. */
static uint64_t number(struct reader *reader)
{
	uint64_t result = 0;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		uint8_t byte = next(reader);

		result |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return result;
	}
	reader->is_bad = true;
	return 0;
}

/* Reads the head of a block. Returns false if there are no more, or it is of another kind. */
static bool read_head(struct reader *reader)
{
	size_t start = reader->at;
	unsigned size = next(reader), flags;

	if (size == 0 || reader->is_bad)
		return false;
	flags = next(reader);
	if (flags & 0x40)
		number(reader); /* bytes in the file */
	if (flags & 0x80)
		number(reader); /* and unpacked */
	if (flags & 0x3f || number(reader) != FILTER_LZMA2)
		reader->is_bad = true;
	reader->at = start;
	skip(reader, ((size_t)size + 1) * 4);
	return !reader->is_bad;
}

/* A chunk of LZMA2. */
struct chunk {
	uint8_t control;
	bool is_packed;
	bool resets, has_properties, clears; /* the model; with other parameters; the dictionary */
	uint8_t properties;
	const uint8_t *bytes;
	size_t size, unpacked;
};

/* Reads the next chunk. Returns false at the end of a block. */
static bool read_chunk(struct reader *reader, struct chunk *chunk)
{
	*chunk = (struct chunk){ .control = next(reader) };
	if (chunk->control == 0 || reader->is_bad)
		return false;
	chunk->is_packed = chunk->control & 0x80;
	if (!chunk->is_packed && chunk->control > 2)
		reader->is_bad = true;
	chunk->unpacked = chunk->is_packed ? (size_t)(chunk->control & 0x1f) << 16 : 0;
	chunk->unpacked += (size_t)next(reader) << 8;
	chunk->unpacked += next(reader) + (size_t)1;
	chunk->size = chunk->unpacked;
	if (chunk->is_packed) {
		chunk->size = (size_t)next(reader) << 8;
		chunk->size += next(reader) + (size_t)1;
	}
	chunk->resets = chunk->is_packed && chunk->control & 0x60;
	chunk->has_properties = chunk->is_packed && chunk->control & 0x40;
	chunk->clears = chunk->is_packed ? (chunk->control & 0x60) == 0x60 : chunk->control == 1;
	if (chunk->has_properties)
		chunk->properties = next(reader);
	chunk->bytes = reader->bytes + reader->at;
	skip(reader, chunk->size);
	return !reader->is_bad;
}

/* Reads the chunks of all blocks, and calls use() for each. Returns false if one is damaged. */
static bool each_chunk(struct reader *reader, bool (*use)(void *, const struct chunk *),
		       void *argument)
{
	static const uint8_t magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
	/* Bytes of the checksum behind a block, by its kind. */
	static const uint8_t checks[] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };
	struct chunk chunk;

	for (size_t i = 0; i < sizeof(magic); i++)
		if (next(reader) != magic[i])
			return false;
	reader->at = 0;
	skip(reader, HEAD_BYTES);
	while (!reader->is_bad && read_head(reader)) {
		while (read_chunk(reader, &chunk))
			if (!use(argument, &chunk))
				return false;
		skip(reader, -reader->at & 3);
		skip(reader, reader->is_bad ? 0 : checks[reader->bytes[7] & 15]);
	}
	return !reader->is_bad;
}

static bool add_size(void *argument, const struct chunk *chunk)
{
	size_t *total = argument;

	*total += chunk->unpacked;
	return *total <= UNPACKED_MAX;
}

/* The output, and its decoder. */
struct unpacking {
	struct lzma *lzma;
	uint8_t *out; /* all of it */
	bool is_set;  /* there was a chunk with parameters */
};

static bool unpack(void *argument, const struct chunk *chunk)
{
	struct unpacking *unpacking = argument;
	struct lzma *lzma = unpacking->lzma;

	if (chunk->clears) {
		lzma->out += lzma->at;
		lzma->at = 0;
	}
	if (!chunk->is_packed) {
		for (size_t i = 0; i < chunk->size; i++)
			lzma->out[lzma->at++] = chunk->bytes[i];
		return true;
	}
	if (chunk->has_properties)
		unpacking->is_set = lzma_set(lzma, chunk->properties);
	if (!unpacking->is_set)
		return false;
	if (chunk->resets)
		lzma_reset(lzma);
	return lzma_chunk(lzma, chunk->bytes, chunk->size, chunk->unpacked);
}

const uint8_t *xz_unpack(const uint8_t *bytes, size_t size, struct scratch *scratch,
			 size_t *unpacked)
{
	struct reader sizes = { .bytes = bytes, .size = size }, contents = sizes;
	struct unpacking unpacking = { 0 };

	*unpacked = 0;
	if (!each_chunk(&sizes, add_size, unpacked) || !*unpacked)
		return NULL;
	unpacking.lzma = scratch_take(scratch, sizeof(*unpacking.lzma));
	unpacking.out = scratch_take(scratch, *unpacked);
	if (!unpacking.lzma || !unpacking.out)
		return NULL;
	unpacking.lzma->out = unpacking.out;
	return each_chunk(&contents, unpack, &unpacking) ? unpacking.out : NULL;
}
