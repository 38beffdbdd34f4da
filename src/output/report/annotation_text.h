/* SPDX-License-Identifier: MIT
 *
 * annotation_text.h - a function from inside, for people: its lines, or its instructions with the
 * lines that they are of, and beside each the share of the function's samples. Only what is around
 * samples is shown.
 */
#ifndef DWELL_OUTPUT_REPORT_ANNOTATION_TEXT_H
#define DWELL_OUTPUT_REPORT_ANNOTATION_TEXT_H

#include <stdio.h>

#include "model/annotate/annotation.h"
#include "model/annotate/annotation_code.h"
#include "model/annotate/source_text.h"

struct annotation_text {
	const struct annotation *annotation;
	const struct annotation_code *code; /* NULL: lines are shown, not instructions */
	const struct source_folders *folders;
	bool has_context;
	bool has_color;
	uint32_t context; /* lines or instructions around each that has samples; else the usual */
};

/* Of a function that has neither lines nor instructions, how much there was of it is all. */
int annotation_text_write(const struct annotation_text *text, FILE *out, struct err *err);

#endif
