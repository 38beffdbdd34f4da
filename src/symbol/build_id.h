/* SPDX-License-Identifier: MIT
 *
 * build_id.h - the number that a linker gives to each file it makes: two files with the same one
 * are of the same code.
 */
#ifndef DWELL_SYMBOL_BUILD_ID_H
#define DWELL_SYMBOL_BUILD_ID_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_BYTES 20 /* longer ones are cut, as recordings do */

struct build_id {
	size_t size; /* 0: there is none */
	uint8_t bytes[BUILD_ID_BYTES];
};

/* Room for one as text. */
#define BUILD_ID_TEXT (2 * BUILD_ID_BYTES + 1)

struct build_id build_id_of(Elf *elf);
bool build_id_same(const struct build_id *a, const struct build_id *b);

/* In hexadecimal digits; answers the text, which is in the buffer. */
const char *build_id_print(char text[BUILD_ID_TEXT], const struct build_id *id);

#endif
