/* SPDX-License-Identifier: MIT
 *
 * annotation_code.h - the instructions of a function, and the number of samples at each. An inlined
 * function has its instructions in all places where it was inlined.
 */
#ifndef DWELL_MODEL_ANNOTATE_ANNOTATION_CODE_H
#define DWELL_MODEL_ANNOTATE_ANNOTATION_CODE_H

#include "annotation.h"
#include "symbol/disassembler.h"

struct annotation_instruction {
	uint64_t address; /* as in the file */
	size_t size;
	char *text;         /* with names of call targets */
	const char *source; /* of its line; NULL: unknown */
	uint32_t line;
	uint32_t piece; /* instructions of one piece are consecutive */
	bool is_target; /* a jump of the same piece leads to it */
	bool is_a_part; /* of the function; others of the piece surround it */
	struct annotation_heat heat;
};

/* Starts as all zeroes. */
struct annotation_code {
	struct annotation_instruction *list; /* by address */
	size_t count;
};

/* Reads all instructions of the pieces of code in which samples of the function were. Its error
 * names what is missing: the object, its code, or the disassembler. On success, free with
 * annotation_code_free(). */
int annotation_code_make(struct annotation_code *code, const struct annotation *annotation,
			 enum disassembler_syntax syntax, struct err *err);
void annotation_code_free(struct annotation_code *code);

#endif
