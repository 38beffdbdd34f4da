/* SPDX-License-Identifier: MIT
 *
 * format_script.h - functions that an interpreter runs; the rest of format.h. Include that.
 */
#ifndef DWELL_RECORDING_FORMAT_SCRIPT_H
#define DWELL_RECORDING_FORMAT_SCRIPT_H

#include "recording/format.h"

/* Addresses of scripts: above all that a program can have. A frame there is behind the native frame
 * that runs it, as its caller; and has a return address, as callers do: one more than that of its
 * instruction. */
#define RECORD_SCRIPTS_START UINT64_C(0x4000000000000000)
#define RECORD_SCRIPTS_BYTES (UINT64_C(1) << 48)

enum record_language {
	RECORD_PYTHON = 1,
	RECORD_MADE = 2, /* none: compiled by the process itself, at its real addresses */
	/* The addresses of these are lines, from the first on. */
	RECORD_PHP = 3,
	RECORD_LUA = 4,
	RECORD_RUBY = 5,
	RECORD_JAVA = 6, /* offsets in its instructions, as of Python */
	RECORD_PERL = 7,
	RECORD_KERNEL = 8, /* none: a function of the kernel */
};

/* Addresses of the kernel are in stacks without their highest bit, which frames need: then no
 * program has them, and neither has a script. Its functions are SCRIPTs whose file is the name of
 * their object, "[kernel]" or that of a module. */
#define RECORD_KERNEL_START UINT64_C(0x7fff800000000000)
#define RECORD_KERNEL_END   UINT64_C(0x7fffffffffff0000) /* special places are above */
#define RECORD_KERNEL_BIT   UINT64_C(0x8000000000000000)

/* An entry of the table of RECORD_MADE: valid up to the next one. */
struct record_made_line {
	uint32_t offset; /* in the function; they ascend */
	uint32_t line;   /* 0: unknown */
};

/* A function of a script, from `time` on at these addresses, which no other one of its process
 * has. One of RECORD_MADE has them until another one is there. */
struct record_script {
	struct record_item item;
	uint64_t time;
	uint64_t start, end;  /* of its instructions */
	uint32_t language;    /* enum record_language */
	uint32_t version;     /* of the interpreter: for the form of the table */
	uint32_t line;        /* its first */
	uint32_t table_bytes; /* of the interpreter's own table of lines */
	char text[];          /* name and file, each with its final 0; then the table */
};
_Static_assert(sizeof(struct record_script) % 8 == 0, "items are aligned to 8 bytes");

enum record_interpreter_state {
	RECORD_INTERPRETER_NONE = 0,    /* there is no such item */
	RECORD_INTERPRETER_WALKED = 1,  /* frames of its functions are recorded */
	RECORD_INTERPRETER_UNKNOWN = 2, /* its version, or build, is not known: they are not */
};

/* An interpreter that was found in the process. */
struct record_interpreter {
	struct record_item item;
	uint32_t language; /* enum record_language */
	uint32_t state;    /* enum record_interpreter_state */
	uint32_t version;  /* CPython: PY_VERSION_HEX; others: major * 100 + minor; 0: not known */
	uint32_t reserved;
};

#endif
