/* SPDX-License-Identifier: MIT
 *
 * annotation_code.h - the instructions of a function, and how many samples were at each. A function
 * that is inlined has those that are of it, wherever they are.
 */
#ifndef DWELL_MODEL_ANNOTATE_ANNOTATION_CODE_H
#define DWELL_MODEL_ANNOTATE_ANNOTATION_CODE_H

#include "annotation.h"
#include "symbol/disassembler.h"

struct annotation_instruction {
	uint64_t address; /* as the file counts */
	size_t size;
	char *text;         /* with names where calls lead to */
	const char *source; /* of the line that it is of; NULL: unknown */
	uint32_t line;
	uint32_t piece; /* those of one piece follow each other */
	bool is_target; /* a jump of the same piece leads to it */
	bool is_a_part; /* of the function; others of the piece are around it */
	struct annotation_heat heat;
};

/* Starts as all zeroes. */
struct annotation_code {
	struct annotation_instruction *list; /* by address */
	size_t count;
};

/* All instructions of the pieces of code that samples of the function were in. Its sentence is of
 * what is missing: the object, its code, or the disassembler. On success, annotation_code_free() is
 * due. */
int annotation_code_make(struct annotation_code *code, const struct annotation *annotation,
			 enum disassembler_syntax syntax, struct err *err);
void annotation_code_free(struct annotation_code *code);

#endif
