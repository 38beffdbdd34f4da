/* SPDX-License-Identifier: MIT */
#include "entry/lzma.h"

#define HALF       1024 /* of 2048 parts */
#define LEARN      5    /* how slowly a probability follows the bits */
#define FIRST_LONG 14   /* the first slot whose distance has bits without a model */
#define LONG_SHORT 4    /* of these distances, the lowest bits have one */

bool lzma_set(struct lzma *lzma, uint8_t properties)
{
	lzma->literal_context = properties % 9;
	lzma->literal_position = properties / 9 % 5;
	lzma->position = properties / 45;
	return lzma->position <= 4 && lzma->literal_context + lzma->literal_position <= 4;
}

void lzma_reset(struct lzma *lzma)
{
	uint16_t *all = (uint16_t *)&lzma->model;

	for (size_t i = 0; i < sizeof(lzma->model) / sizeof(*all); i++)
		all[i] = HALF;
	for (unsigned i = 0; i < 4; i++)
		lzma->distances[i] = 0;
	lzma->state = 0;
}

/* ---- bits ---- */

static void normalize(struct lzma *lzma)
{
	if (lzma->range >= 1u << 24)
		return;
	lzma->is_bad = lzma->is_bad || lzma->in == lzma->in_end;
	lzma->range <<= 8;
	lzma->code = lzma->code << 8 | (lzma->is_bad ? 0 : *lzma->in++);
}

static unsigned bit(struct lzma *lzma, uint16_t *probability)
{
	uint32_t bound;

	normalize(lzma);
	bound = (lzma->range >> 11) * *probability;
	if (lzma->code < bound) {
		lzma->range = bound;
		*probability = (uint16_t)(*probability + ((2 * HALF - *probability) >> LEARN));
		return 0;
	}
	lzma->range -= bound;
	lzma->code -= bound;
	*probability = (uint16_t)(*probability - (*probability >> LEARN));
	return 1;
}

/* Returns bits that are as often 0 as 1. */
static uint32_t direct(struct lzma *lzma, unsigned count)
{
	uint32_t result = 0;

	while (count--) {
		normalize(lzma);
		lzma->range >>= 1;
		result <<= 1;
		if (lzma->code >= lzma->range) {
			lzma->code -= lzma->range;
			result |= 1;
		}
	}
	return result;
}

/* Returns a number whose highest bit comes first. */
static unsigned tree(struct lzma *lzma, uint16_t *probabilities, unsigned bits)
{
	unsigned node = 1;

	for (unsigned i = 0; i < bits; i++)
		node = node << 1 | bit(lzma, &probabilities[node]);
	return node - (1u << bits);
}

/* Returns one whose lowest bit comes first. */
static uint32_t reverse_tree(struct lzma *lzma, uint16_t *probabilities, unsigned bits)
{
	unsigned node = 1;
	uint32_t result = 0;

	for (unsigned i = 0; i < bits; i++) {
		unsigned one = bit(lzma, &probabilities[node]);

		node = node << 1 | one;
		result |= one << i;
	}
	return result;
}

/* ---- symbols ---- */

static unsigned length_of(struct lzma *lzma, struct lzma_length *model, unsigned position)
{
	if (!bit(lzma, &model->choice))
		return 2 + tree(lzma, model->low[position], 3);
	if (!bit(lzma, &model->choice_high))
		return 10 + tree(lzma, model->middle[position], 3);
	return 18 + tree(lzma, model->high, 8);
}

static uint32_t distance_of(struct lzma *lzma, unsigned length)
{
	unsigned slot = tree(lzma, lzma->model.slot[length < 5 ? length - 2 : 3], 6);
	unsigned bits = slot < 4 ? 0 : (slot >> 1) - 1;
	uint32_t distance = (2 | (slot & 1)) << bits;

	if (slot < 4)
		return slot;
	if (slot < FIRST_LONG)
		return distance + reverse_tree(lzma, lzma->model.special + distance - slot, bits);
	distance += direct(lzma, bits - LONG_SHORT) << LONG_SHORT;
	return distance + reverse_tree(lzma, lzma->model.align, LONG_SHORT);
}

/* Returns the byte at the last distance; 0, and notes the damage, if it is in front of all. */
static uint8_t matched_byte(struct lzma *lzma)
{
	if (lzma->distances[0] < lzma->at)
		return lzma->out[lzma->at - lzma->distances[0] - 1];
	lzma->is_bad = true;
	return 0;
}

static void put_literal(struct lzma *lzma)
{
	unsigned before = lzma->at ? lzma->out[lzma->at - 1] : 0;
	unsigned low = lzma->at & ((1u << lzma->literal_position) - 1);
	uint16_t *model =
		lzma->model.literal + (size_t)0x300 * ((low << lzma->literal_context) +
						       (before >> (8 - lzma->literal_context)));
	unsigned symbol = 1, matched;

	/* Behind a match, the byte that would have continued it is a hint, as far as it is right.
	 */
	if (lzma->state >= 7) {
		matched = matched_byte(lzma);
		for (unsigned hint = 0, one = 0; symbol < 0x100 && hint == one;) {
			hint = matched >> 7 & 1;
			matched <<= 1;
			one = bit(lzma, &model[((1 + hint) << 8) + symbol]);
			symbol = symbol << 1 | one;
		}
	}
	while (symbol < 0x100)
		symbol = symbol << 1 | bit(lzma, &model[symbol]);
	lzma->out[lzma->at++] = (uint8_t)symbol;
	lzma->state = lzma->state < 4 ? 0 : lzma->state < 10 ? lzma->state - 3 : lzma->state - 6;
}

static void copy(struct lzma *lzma, unsigned length)
{
	if (length > lzma->end - lzma->at)
		lzma->is_bad = true;
	while (length-- && !lzma->is_bad) {
		uint8_t byte = matched_byte(lzma);

		lzma->out[lzma->at++] = byte;
	}
}

/* Moves the distance with that number to the front. */
static void use_distance(struct lzma *lzma, unsigned number)
{
	uint32_t distance = lzma->distances[number];

	for (; number; number--)
		lzma->distances[number] = lzma->distances[number - 1];
	lzma->distances[0] = distance;
}

static void put_repeated(struct lzma *lzma, unsigned position)
{
	struct lzma_model *model = &lzma->model;
	unsigned state = lzma->state;

	if (!bit(lzma, &model->is_older[state])) {
		if (!bit(lzma, &model->is_long[state][position])) {
			lzma->state = state < 7 ? 9 : 11;
			copy(lzma, 1);
			return;
		}
	} else if (!bit(lzma, &model->is_third[state])) {
		use_distance(lzma, 1);
	} else {
		use_distance(lzma, bit(lzma, &model->is_fourth[state]) ? 3 : 2);
	}
	lzma->state = state < 7 ? 8 : 11;
	copy(lzma, length_of(lzma, &model->repeated, position));
}

static void put_match(struct lzma *lzma, unsigned position)
{
	unsigned length = length_of(lzma, &lzma->model.match, position);

	for (unsigned i = 3; i; i--)
		lzma->distances[i] = lzma->distances[i - 1];
	lzma->distances[0] = distance_of(lzma, length);
	lzma->state = lzma->state < 7 ? 7 : 10;
	copy(lzma, length);
}

/* Reads the beginning of the range coder's bytes: a 0, and its first four. */
static bool begin(struct lzma *lzma)
{
	if (lzma->in_end - lzma->in < 5 || *lzma->in != 0)
		return false;
	lzma->in++;
	lzma->range = UINT32_MAX;
	lzma->code = 0;
	for (unsigned i = 0; i < 4; i++)
		lzma->code = lzma->code << 8 | *lzma->in++;
	return true;
}

bool lzma_chunk(struct lzma *lzma, const uint8_t *bytes, size_t size, size_t unpacked)
{
	lzma->in = bytes;
	lzma->in_end = bytes + size;
	lzma->end = lzma->at + unpacked;
	lzma->is_bad = !begin(lzma);
	while (lzma->at < lzma->end && !lzma->is_bad) {
		unsigned position = lzma->at & ((1u << lzma->position) - 1);

		if (!bit(lzma, &lzma->model.is_match[lzma->state][position]))
			put_literal(lzma);
		else if (bit(lzma, &lzma->model.is_repeated[lzma->state]))
			put_repeated(lzma, position);
		else
			put_match(lzma, position);
	}
	return !lzma->is_bad;
}
