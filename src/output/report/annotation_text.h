/* SPDX-License-Identifier: MIT
 *
 * annotation_text.h - an annotated function as text: its lines, or its instructions with their
 * lines, and beside each the share of the function's samples. Only the surroundings of samples are
 * shown.
 */
#ifndef DWELL_OUTPUT_REPORT_ANNOTATION_TEXT_H
#define DWELL_OUTPUT_REPORT_ANNOTATION_TEXT_H

#include <stdio.h>

#include "model/annotate/annotation.h"
#include "model/annotate/annotation_code.h"
#include "model/annotate/source_text.h"

struct annotation_text {
	const struct annotation *annotation;
	const struct annotation_code *code; /* NULL: show lines, not instructions */
	const struct source_folders *folders;
	bool has_context;
	bool has_color;
	bool long_names;  /* of C++ and Rust, whole */
	uint32_t context; /* lines or instructions around each one with samples, unless the default
			   */
};

/* Writes only the amount for a function that has neither lines nor instructions. */
int annotation_text_write(const struct annotation_text *text, FILE *out, struct err *err);

#endif
