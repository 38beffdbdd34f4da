/* SPDX-License-Identifier: MIT
 *
 * interpreter_note.h - the sentence below a table that functions of scripts have no names.
 */
#ifndef DWELL_OUTPUT_REPORT_INTERPRETER_NOTE_H
#define DWELL_OUTPUT_REPORT_INTERPRETER_NOTE_H

#include <stdint.h>
#include <stdio.h>

/* Writes it for an interpreter that is not supported, as of struct record_interpreter. */
void interpreter_note_write(uint32_t language, uint32_t version, FILE *out);

#endif
