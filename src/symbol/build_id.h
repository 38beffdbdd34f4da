/* SPDX-License-Identifier: MIT
 *
 * build_id.h - the number that a linker gives to each file it makes: files with the same number
 * have the same code.
 */
#ifndef DWELL_SYMBOL_BUILD_ID_H
#define DWELL_SYMBOL_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_BYTES 20 /* longer ones are truncated, as in recordings */

struct build_id {
	size_t size; /* 0: none */
	uint8_t bytes[BUILD_ID_BYTES];
};

/* Size of one as text. */
#define BUILD_ID_TEXT (2 * BUILD_ID_BYTES + 1)

struct build_id build_id_of(Elf *elf);
bool build_id_same(const struct build_id *a, const struct build_id *b);

/* Prints hexadecimal digits to the buffer and returns it. */
const char *build_id_print(char text[BUILD_ID_TEXT], const struct build_id *id);

#endif
