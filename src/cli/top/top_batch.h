/* SPDX-License-Identifier: MIT
 *
 * top_batch.h - dwell top without a screen: prints plain tables.
 */
#ifndef DWELL_CLI_TOP_TOP_BATCH_H
#define DWELL_CLI_TOP_TOP_BATCH_H

#include <stdio.h>

#include "top_text.h"

/* Returns 0 or -ENOMEM. */
int top_batch_write(const struct top_facts *facts, const struct top_state *state,
		    const struct live_rows *rows, const struct live_window *window, size_t limit,
		    FILE *out);

#endif
