/* SPDX-License-Identifier: MIT
 *
 * chunk_rows.h - the rows of a chunk in RowBinary, in the order of columns that the statements
 * sql/insert_*.sql have.
 */
#ifndef DWELL_FLEET_CHUNK_ROWS_H
#define DWELL_FLEET_CHUNK_ROWS_H

#include "chunk.h"

/* Write all rows behind the chunk's receipt. The first writes each of their stacks once as well.
 * Return 0 or -ENOMEM. */
int chunk_rows_samples(const struct load_chunk *chunk, const struct piece *piece,
		       const struct chunk_part *part, FILE *rows, FILE *stacks);
int chunk_rows_calls(const struct load_chunk *chunk, const struct piece *piece,
		     const struct chunk_part *part, FILE *out);

#endif
