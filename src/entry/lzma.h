/* SPDX-License-Identifier: MIT
 *
 * lzma.h - one chunk of LZMA, which continues the one before it. The whole output is in memory, and
 * is the dictionary. Every place is checked: the bytes are untrusted.
 */
#ifndef DWELL_ENTRY_LZMA_H
#define DWELL_ENTRY_LZMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LZMA_STATES = 12, LZMA_POSITIONS = 16, LZMA_LITERALS = 0x300 << 4 };

/* Probabilities of bits, of a length. */
struct lzma_length {
	uint16_t choice, choice_high;
	uint16_t low[LZMA_POSITIONS][8], middle[LZMA_POSITIONS][8], high[256];
};

/* Probabilities of all bits: of 2048 parts, that the bit is 0. */
struct lzma_model {
	uint16_t is_match[LZMA_STATES][LZMA_POSITIONS], is_repeated[LZMA_STATES];
	uint16_t is_older[LZMA_STATES], is_third[LZMA_STATES], is_fourth[LZMA_STATES];
	uint16_t is_long[LZMA_STATES][LZMA_POSITIONS];
	uint16_t slot[4][64], special[115], align[16];
	struct lzma_length match, repeated;
	uint16_t literal[LZMA_LITERALS];
};

struct lzma {
	const uint8_t *in, *in_end;
	uint8_t *out; /* begins with the dictionary */
	size_t at, end;
	uint32_t range, code;
	uint32_t distances[4];
	unsigned state;
	unsigned literal_context, literal_position, position; /* bits: lc, lp, pb */
	bool is_bad;
	struct lzma_model model;
};

/* Sets the parameters by their byte in the file. Returns false if it is invalid. */
bool lzma_set(struct lzma *lzma, uint8_t properties);

/* Forgets what was learnt. */
void lzma_reset(struct lzma *lzma);

/* Unpacks `size` bytes of input to exactly `unpacked` bytes at lzma->at, for which there is room.
 * Returns false if it is damaged. */
bool lzma_chunk(struct lzma *lzma, const uint8_t *bytes, size_t size, size_t unpacked);

#endif
