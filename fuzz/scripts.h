/* SPDX-License-Identifier: MIT
 *
 * scripts.h - the input of fuzz_scripts.c: memory of an interpreter, and registers of its native
 * frames. Its first byte is the interpreter; then comes a word at a time.
 */
#ifndef DWELL_FUZZ_SCRIPTS_H
#define DWELL_FUZZ_SCRIPTS_H

#include "interpreter/lua.h"
#include "interpreter/perl.h"
#include "interpreter/php.h"
#include "interpreter/ruby.h"

/* Each table has the same name in its own file. */
#define layouts lua_rows
#include "interpreter/lua_layouts.h"
#undef layouts
#define layouts perl_rows
#include "interpreter/perl_layouts.h"
#undef layouts
#define layouts php_rows
#include "interpreter/php_layouts.h"
#undef layouts
#define layouts ruby_rows
#include "interpreter/ruby_layouts.h"
#undef layouts

enum scripts_kind { SCRIPTS_LUA, SCRIPTS_PERL, SCRIPTS_PHP, SCRIPTS_RUBY, SCRIPTS_KINDS };

#define SCRIPTS_BASE  ((uintptr_t)0x10000000)
#define SCRIPTS_WORDS 4096
/* Words behind the memory: registers of the native frames, then the pages that are not there. */
#define SCRIPTS_NATIVES   4
#define SCRIPTS_REGISTERS 8
#define SCRIPTS_GONE      (SCRIPTS_WORDS + SCRIPTS_NATIVES * SCRIPTS_REGISTERS)

/* Code of the interpreter: that which evaluates, then its callers of struct interpreter_found. */
#define SCRIPTS_EVALUATION ((uintptr_t)0x1000)
#define SCRIPTS_CALLERS    ((uintptr_t)0x2000)

/* How the word becomes that of the memory. */
enum scripts_tag { SCRIPTS_VALUE, SCRIPTS_POINTER, SCRIPTS_HIGH };

struct __attribute__((packed)) scripts_word {
	uint16_t place;
	uint8_t tag;
	uint32_t value;
};

#endif
