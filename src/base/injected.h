/* SPDX-License-Identifier: MIT
 *
 * injected.h - how the tool and the runtime that it has loaded into a running process talk: by a
 * block in the runtime, exported as dwell_calls_injected. The tool writes an order's arguments, has
 * a thread of the process call the order's function, and reads the result.
 *
 *	state		order		next state
 *	DORMANT		begin		COUNTING: tables are rewritten, calls are counted
 *			(the tool makes the changes, for --via entry)
 *			(and takes them back)
 *	COUNTING	end		ENDING: tables are as they were, calls under way go on
 *	ENDING		drain		ENDING: frames have their return addresses back; made
 *					twice where threads have such addresses in registers
 *	ENDING		rest		DORMANT: nothing refers to the recording any more
 */
#ifndef DWELL_BASE_INJECTED_H
#define DWELL_BASE_INJECTED_H

#include <stdint.h>

#define INJECTED_SYMBOL  "dwell_calls_injected"
#define INJECTED_VERSION 4
#define INJECTED_STACK   (128 << 10) /* bytes; orders run on it */

enum injected_state {
	INJECTED_DORMANT,
	INJECTED_COUNTING,
	INJECTED_ENDING,
	INJECTED_PRELOADED, /* the program was started by dwell */
};

#define INJECTED_CHANGE 16 /* bytes */

/* A change of code, or of the runtime's tables, by the tool: no thread of the process may run
 * meanwhile, and the runtime is in one. */
struct injected_change {
	uint64_t address;
	uint64_t size;
	uint8_t before[INJECTED_CHANGE], after[INJECTED_CHANGE];
};

/* A call under way of a stopped thread, on CPUs whose calls leave the return address in a register:
 * memory in which the function may have it, and a copy of the thread's registers, which the order
 * changes. */
struct injected_call {
	uint64_t stub;  /* the address that the function returns to */
	uint64_t found; /* result: how often that was there */
	uint64_t stack, stack_end;
	uint64_t registers, registers_end;
};

struct injected {
	uint32_t version;                 /* INJECTED_VERSION */
	uint32_t state;                   /* enum injected_state */
	int32_t result;                   /* of the last order: 0 or -errno */
	int32_t descriptor;               /* for begin: of the recording; closed by it */
	uint64_t begin, end, drain, rest; /* functions: see above */
	uint64_t stubs, stubs_bytes;      /* code in which calls under way may be */
	uint64_t stack_end;
	uint64_t calls, call_count; /* for drain: an array, the innermost of a thread first */
	uint64_t are_back;  /* for drain: threads have the changed registers, so slots can go */
	uint64_t under_way; /* result of drain: calls whose return addresses are not back */
	uint64_t entry;     /* of the process in the recording, since begin */
	uint64_t changes, change_count; /* an array; since begin */
	uint64_t lost;                  /* for end: changes that could not be made */
};

#endif
