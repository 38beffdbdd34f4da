/* SPDX-License-Identifier: MIT
 *
 * calls_layout.h - sizes and offsets of the structures that both the wrapper's assembly and its C
 * side (src/runtime/calls) touch. For the assembler, so plain numbers; src/runtime/calls/calls.h
 * checks each against its struct.
 */
#ifndef DWELL_ARCH_CALLS_LAYOUT_H
#define DWELL_ARCH_CALLS_LAYOUT_H

/*
 * The arena: a stub for each slot, at a fixed distance, so that each finds the other by addition.
 * Only the first stubs are in the file; the same pages are mapped again behind them as threads and
 * call depth require. src/runtime/calls/arena.ld lays it out.
 *
 *	stubs ... | spare stubs ......... | slots ... | spare slots .........
 *	|<------------ ARENA_BYTES ------------>|<------------ ARENA_BYTES ------------>|
 */
#define SLOT_BYTES       64 /* of a stub, too */
#define ARENA_BYTES      0x8000000
#define ARENA_SLOTS      (ARENA_BYTES / SLOT_BYTES)
#define ARENA_FILE_SLOTS 16384 /* their stubs are in the file */

/* struct slot */
#define SLOT_RETURN   0
#define SLOT_TALLY    8
#define SLOT_ENTERED  16
#define SLOT_CHILDREN 24
#define SLOT_OVERHEAD 32
#define SLOT_SP       40
#define SLOT_EXIT     48
#define SLOT_OWNER    56

/*
 * Functions are laid out likewise: a redirector for each struct callee, equally long and at a fixed
 * distance. Pages of redirectors are the same bytes, too.
 *
 *	redirectors ... | spare redirectors ...... | functions ............................
 *	|<---------- FUNCTIONS_SPACE ----------->|<---------- FUNCTIONS_SPACE ----------->|
 */
#define FUNCTION_BYTES  32
#define FUNCTIONS_MAX   0x100000
#define FUNCTIONS_SPACE (FUNCTIONS_MAX * FUNCTION_BYTES)
#define FUNCTIONS_FILE  0x10000 /* their redirectors are in the file */
#define FUNCTION_TARGET 0
#define FUNCTION_ENTER  8
#define FUNCTION_ID     16

/* struct calls_thread */
#define THREAD_TOP      0
#define THREAD_LIMIT    8
#define THREAD_TALLIES  16
#define THREAD_CAPACITY 24

/* struct record_calls, with the runtime's private part */
#define TALLY_OF_CALLS     16
#define TALLY_OF_RETURNED  24
#define TALLY_OF_UNTIMED   48
#define TALLY_OF_SUM       56
#define TALLY_OF_AGAIN     64
#define TALLY_OF_SELF      72
#define TALLY_OF_MIN       88
#define TALLY_OF_MAX       96
#define TALLY_OF_LAST      104
#define TALLY_OF_OUTERMOST 120
#define TALLY_OF_SKIP      128
#define TALLY_OF_OCTAVES   136

/* struct calls_state, a singleton */
#define STATE_INSIDE 0
#define STATE_COST   8

/* The histogram: see recording/format.h. */
#define OCTAVE_BITS 5
#define OCTAVE_LAST 43
/* Durations of later octaves, from 2^14 ticks on, are left to C, which looks at long calls: see
 * waits.c. That are 20 us of the slowest counter, of 800 MHz, which an x86 CPU is known to have. */
#define OCTAVE_SHORT 8

/* slot.sp is the wrapper's stack pointer, this far below the return address. */
#define SP_BELOW_FRAME 24

/* On x86-64: where r11 is kept while a wrapper uses it, below the return address and below where it
 * was. */
#define KEPT_R11    80
#define KEPT_RESULT 80

/* Special values of slot.sp. The wrapper checks further if the slot below has a lower sp than its
 * own stack pointer; the first two force that. */
#define SP_LEFT    1  /* given back, waiting to be removed */
#define SP_ESCAPED 2  /* left by an exception */
#define SP_NOBODY  -1 /* unowned, or just being taken */

#endif
