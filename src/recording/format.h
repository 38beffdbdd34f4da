/* SPDX-License-Identifier: MIT
 *
 * format.h - a recording: the only interface between the code inside the targets and the tools.
 *
 * A recording is a file that every process under dwell maps MAP_SHARED and counts in. Nothing is
 * ever written "at the end", so nothing is lost however a process ends. See FORMAT.md for the
 * pictures.
 *
 *	header		one grain
 *	segment...	each a whole number of grains, allocated by adding to header.end
 *
 * At the end, the tool packs it: header and segments are cut to the size of their contents. Later
 * writers still get grains behind that.
 *
 * A segment has one writer: a process, or one thread of it. It starts with a struct record_segment
 * and holds items up to the first one whose kind is 0. A grain that does not start with a segment's
 * mark was allocated by a process that died at once: skip it.
 *
 * All numbers are little-endian, as every supported CPU is; times are ticks of header.clock.
 * Readers must validate everything: a recording is untrusted input.
 */
#ifndef DWELL_RECORDING_FORMAT_H
#define DWELL_RECORDING_FORMAT_H

#include <stdint.h>

#define RECORD_MAGIC   "dwell\r\n\032" /* eight bytes, without the final 0 */
#define RECORD_VERSION 8
#define RECORD_GRAIN   16384 /* bytes */
#define RECORD_PACKED  64    /* bytes; the grain of packed segments */

enum record_clock {
	RECORD_CLOCK_NS = 1,   /* CLOCK_MONOTONIC in nanoseconds */
	RECORD_CLOCK_TICKS = 2 /* the CPU's counter; two instants in the header give its rate */
};

/* The request: header.flags. */
enum record_flags {
	RECORD_COUNT_ONLY = 1,
	RECORD_SAMPLE_TIMING = 2,
	RECORD_BY_CALLER = 4,
	RECORD_BY_THREAD = 8,
	RECORD_NO_FOLLOW = 16,
	RECORD_VIA_GOT = 32,
	RECORD_NO_STACKS = 64, /* samples have only the innermost frame */
	RECORD_ATTACHED = 128, /* processes that ran already: their end is unknown */
	RECORD_BY_SITE = 256,  /* with RECORD_BY_CALLER: callers are call sites, not objects */
	RECORD_VIA_ENTRY = 512,
	RECORD_BY_PATH = 1024,  /* with RECORD_BY_CALLER: callers are nodes of the tree of calls */
	RECORD_IMPORTED = 2048, /* by dwell import, from the file of another tool */
	RECORD_PAUSED = 4096,   /* atomic, while it is written: nothing is recorded for now */
	RECORD_KERNEL_STACKS = 8192,
	RECORD_PAUSABLE = 16384, /* each call that is counted looks at RECORD_PAUSED */
};

/* The same instant on the CPU's counter and on CLOCK_MONOTONIC_RAW; all 0: not taken. */
struct record_instant {
	uint64_t ticks;
	uint64_t ns;
};

/* CPU time used so far by a thread that calls exec(), left for the new program in the same thread.
 * The kernel goes on counting, so the time of the new program's dynamic linker could not be found
 * otherwise. The index is tid % RECORD_HANDOVERS, where other threads may overwrite it. */
#define RECORD_HANDOVERS 512
struct record_handover {
	uint32_t tid;
	uint32_t cpu_us; /* the lower half */
};

/* Facts that `dwell archive` knew about a recording and the archive itself no longer shows; all 0:
 * not an archive. */
struct record_archive {
	struct record_instant read; /* when it was read; only without an `ended` that gives the rate
				     * of ticks */
	uint64_t damaged;           /* invalid items and segments, left out */
	uint64_t missing;           /* bytes missing at the end */
};

/* Losses for want of space: the disk was full, or a limit of the process was reached. */
struct record_scarcity {
	uint64_t processes; /* atomic; processes of which nothing is recorded */
	uint32_t pid;       /* atomic; of the last of them */
	uint32_t code;      /* atomic; errno of the first time; 0: never */
};

/* Programs that could not open the recording when they were executed: by a process that had dropped
 * privileges, or had changed its root or namespace; or in an environment without us. */
struct record_unreached {
	uint64_t programs; /* atomic */
	uint32_t code;     /* atomic; errno of the first time; ELIBACC: by their environment */
	uint32_t sandbox;  /* atomic; enum record_sandbox: of recorded processes */
};

/* How a program restricted itself, and what could not be recorded because of it; 0: nothing was
 * lost. */
enum record_sandbox {
	RECORD_SANDBOX_SECCOMP = 1,
	RECORD_SANDBOX_LANDLOCK = 2,
	RECORD_SANDBOX_ROOT = 4,   /* its root is an empty directory */
	RECORD_SANDBOX_ROOM = 256, /* the recording could not be made longer */
	RECORD_SANDBOX_CLOCKS =
		512, /* threads or children got no clock, or none that can be read */
	RECORD_SANDBOX_STACKS = 1024, /* stacks could not be read */
	RECORD_SANDBOX_MAPS = 2048,   /* loaded code could not be looked up */
};

struct record_header {
	char magic[8];
	uint32_t version;
	uint32_t clock;  /* enum record_clock */
	uint32_t flags;  /* enum record_flags */
	uint32_t status; /* wait() status of the command, if ended.ns */
	uint64_t end;    /* atomic; the file is used up to here */
	uint64_t started_unix_ns;
	struct record_instant started,
		ended;           /* by the tool; ended is 0 while it runs, or if it was killed */
	uint8_t boot_id[16];     /* of the machine's boot, to compare instants */
	uint32_t command_size;   /* of the command's arguments, each with its final 0 */
	uint32_t hz;             /* requested samples per second; 0: none */
	char sampling_clock[16]; /* the one to use; "": the best available */
	struct record_archive archive;
	struct record_scarcity scarcity;
	uint64_t packed; /* segments before this offset are packed, and follow the header's end; 0:
			  * none */
	struct record_unreached unreached;
	struct record_handover handovers[RECORD_HANDOVERS]; /* of threads that sample themselves */
	char command[4096]; /* may be truncated; if segments are packed, the unused part is
			     * absent */
};
_Static_assert(sizeof(struct record_header) <= RECORD_GRAIN, "it fits");

/* header.end of a recording that accepts no more: no file has that size, so no room is left for
 * another segment. */
#define RECORD_END_SEALED                                                                          \
	(UINT64_C(0x7fffffffffffffff) / RECORD_GRAIN * RECORD_GRAIN - RECORD_GRAIN)

#define RECORD_SEGMENT_MARK 0x47455344u /* "DSEG" */

enum record_segment_kind {
	RECORD_SETUP = 1,   /* by the tool: items SPEC, then LABEL; one for each run */
	RECORD_PROCESS = 2, /* struct record_process; items OBJECT, FUNCTION and CALLER */
	RECORD_NAMES = 3,   /* of a process that needs more space: the same items */
	RECORD_THREAD = 4,  /* struct record_thread; items CALLS, OCTAVE and WAITS */
	RECORD_COUNTS = 5,  /* of a thread that needs more space: the same items */
	RECORD_ANSWERS = 6, /* by dwell archive: items FILE, TEXT and PLACES */
};

struct record_segment {
	uint32_t mark;   /* written last */
	uint32_t kind;   /* enum record_segment_kind */
	uint64_t size;   /* bytes, a multiple of the grain, or of RECORD_PACKED */
	uint64_t owner;  /* file offset of the process's or thread's first segment; 0 in SETUP and
			  * ANSWERS. PROCESS: its own; NAMES, THREAD: the process; COUNTS: the thread
			  */
	uint64_t cpu_ns; /* SETUP: by the tool, when the command has ended: CPU time of the command
			  * and of all processes it waited for, according to the kernel; 0:
			  * unknown */
	uint64_t system_ns; /* SETUP: the part of cpu_ns that was spent in the kernel */
	uint64_t tick_ns;   /* SETUP: the kernel's own tick; 0: unknown */
	uint64_t setup;     /* PROCESS: file offset of the SETUP of its run; 0: the first one */
	uint64_t unread;    /* PROCESS: atomic; calls by functions of scripts that are unreadable */
};

/* Follows the struct record_segment of RECORD_PROCESS. One for each program image: exec starts a
 * new one. */
struct record_process {
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t started;        /* in the header's clock */
	uint64_t lost_threads;   /* atomic; threads whose calls could not be counted at all */
	uint64_t lost_calls;     /* atomic; calls that could not be counted */
	uint64_t lost_functions; /* atomic; chosen functions that could not be wrapped */
	uint64_t inside;   /* ticks that the wrapper adds to its measurement; already subtracted */
	uint64_t outside;  /* further ticks that it adds to its caller; already subtracted */
	uint32_t threads;  /* atomic; threads that counted something */
	uint32_t bindings; /* atomic; times that a function was handed out wrapped */
	uint32_t forked;   /* 1: made by fork(), so FUNCTIONs and OBJECTs of its parent apply as
			    * well */
	uint32_t pid_namespace; /* inode of the namespace of pid; 0: unknown */
	uint64_t parent;        /* if forked: file offset of the parent's segment */
	char command[304];      /* the arguments, 0 between them; may be truncated; ends with 0 */
};

/* Follows the struct record_segment of RECORD_THREAD. Later threads may continue to count in it,
 * unless RECORD_BY_THREAD was requested. */
struct record_thread {
	uint32_t tid;   /* of the last one */
	uint32_t users; /* threads that have counted here */
	char name[16];
	uint64_t reserved[5];
};

/* All heads are a multiple of 64 bytes long, so that counters have their cache lines to
 * themselves. */
_Static_assert(sizeof(struct record_segment) % 64 == 0 && sizeof(struct record_process) % 64 == 0 &&
		       sizeof(struct record_thread) % 64 == 0,
	       "alignment");

/* Items are aligned to 8 bytes; writers choose 64. */
struct record_item {
	uint32_t kind; /* written last; 0: the segment ends here for now */
	uint32_t size; /* bytes, including this head, a multiple of 8 */
};

enum record_item_kind {
	RECORD_SPEC = 1,
	RECORD_OBJECT = 2,
	RECORD_FUNCTION = 3,
	RECORD_CALLS = 4,
	RECORD_OCTAVE = 5,
	RECORD_MAP = 6,      /* of a process */
	RECORD_UNMAP = 7,    /* of a process */
	RECORD_SAMPLER = 8,  /* of a process */
	RECORD_FRAMES = 9,   /* by a thread, for its process */
	RECORD_SAMPLES = 10, /* of a thread */
	RECORD_FILE = 11,
	RECORD_TEXT = 12,
	RECORD_PLACES = 13,
	RECORD_ARCS = 14, /* by a thread, for its process */
	RECORD_LABEL = 15,
	RECORD_ORIGIN = 16,      /* by dwell merge */
	RECORD_SCRIPT = 17,      /* of a process */
	RECORD_INTERPRETER = 18, /* of a process */
	RECORD_CALLER = 19,
	RECORD_WAITS = 20,
	RECORD_EVENT = 22,  /* what samples count */
	RECORD_REGION = 23, /* of a process */
	RECORD_SUMS = 24,   /* of a thread; by dwell import */
};

/* How the user chose functions. */
enum record_spec_role { RECORD_CHOOSE = 1, RECORD_EXCLUDE = 2, RECORD_FROM = 3 };

struct record_spec {
	struct record_item item;
	uint32_t role;    /* enum record_spec_role */
	uint32_t matched; /* set to 1 by any process in which the spec matched something */
	char text[];      /* with its final 0 */
};

/* The place of a run, or what its user calls it: see base/label_list.h. Keys are unique. */
struct record_label {
	struct record_item item;
	char text[]; /* the key and its value, each with its final 0; the value may be "" */
};

/* In the SETUP of a merged recording: the header of the recording that this run comes from, as far
 * as the merged header cannot have it. Instants are in that recording's clock. */
struct record_origin {
	struct record_item item;
	uint32_t clock; /* enum record_clock */
	uint32_t flags; /* enum record_flags */
	uint32_t status;
	uint32_t hz;
	uint64_t started_unix_ns;
	struct record_instant started, ended;
	uint8_t boot_id[16];
	struct record_archive archive; /* damaged and missing were found when it was merged */
	struct record_scarcity scarcity;
	struct record_unreached unreached;
	char sampling_clock[16];
	uint32_t command_size;
	uint32_t reserved;
	char command[]; /* the arguments, each with its final 0; may be truncated */
};
_Static_assert(sizeof(struct record_origin) % 8 == 0, "items are aligned to 8 bytes");

/* An object of the process: a program or a library. */
struct record_object {
	struct record_item item;
	uint32_t id; /* in this process; from 0 */
	uint32_t reserved;
	uint64_t bias; /* address less the one in the file, when first seen */
	char text[];   /* its path and its soname, each with its final 0; the soname may be "" */
};

enum record_function_flags {
	RECORD_COUNTED = 1, /* never timed, because it must see its real caller */
	RECORD_REFUSED = 2, /* not counted: its entry cannot be patched, see base/entry_refusal.h */
};

/* The bits of record_function.flags from here on are the reason for RECORD_REFUSED. */
#define RECORD_REFUSAL_SHIFT 8

struct record_function {
	struct record_item item;
	uint32_t id;     /* in this process; from 0 */
	uint32_t object; /* the one that defines it */
	uint32_t flags;  /* enum record_function_flags */
	uint32_t reserved;
	uint64_t address; /* in its object: less the bias */
	char text[];      /* symbol and version, each with its final 0; the version may be "" */
};

#define RECORD_NO_CALLER   UINT32_MAX
#define RECORD_NO_FUNCTION UINT32_MAX

/* In the number of a caller: the rest is the number of a CALLER, not of an OBJECT. */
#define RECORD_CALLER_BIT 0x80000000u

/* A place that calls functions: a call site, or a wrapped function. */
struct record_caller {
	struct record_item item;
	uint32_t id;       /* in this process; from 0, with RECORD_CALLER_BIT */
	uint32_t object;   /* that contains it; RECORD_NO_CALLER: none that is known */
	uint32_t function; /* the wrapped function; RECORD_NO_FUNCTION: it is a call site */
	uint32_t build_id_size;
	uint64_t address; /* of a call site: the return address, as an offset in the object's file,
			   * or in memory without an object */
	uint8_t build_id[20]; /* of the object's file */
	uint32_t parent; /* a CALLER with a lower number: the path, or script, that leads to it */
};
_Static_assert(sizeof(struct record_caller) % 8 == 0, "items are aligned to 8 bytes");

/*
 * Calls of one function in one thread (and from one caller). Add up all with the same process and
 * function. The wrapper's overhead is subtracted. Written by the thread alone, without atomics: a
 * reader of a living process sees each number whole, but not all of the same instant.
 *
 * calls = returned + escaped + abandoned + untimed + those still running, where "still running" is
 * the remainder. With RECORD_SAMPLE_TIMING, each timed call stands for the gap of calls since the
 * previous one, so `sum`, `again` and the octaves are weighted by that gap; `self` is not measured.
 */
struct record_calls {
	struct record_item item;
	uint32_t function;
	uint32_t caller; /* OBJECT or CALLER, or RECORD_NO_CALLER */
	uint64_t calls;  /* counted at entry */
	uint64_t returned;
	uint64_t escaped;   /* left by an exception, a cancellation, pthread_exit() */
	uint64_t abandoned; /* left by longjmp() */
	uint64_t untimed;
	/* Ends here with RECORD_COUNT_ONLY; see item.size. */
	uint64_t sum;    /* time of all returned calls */
	uint64_t again;  /* the part of it in calls nested in a call of the same function */
	int64_t self;    /* time less that of wrapped callees */
	uint64_t weight; /* calls that the sums stand for, if sampled; else use `returned` */
	uint64_t min;    /* UINT64_MAX: none has returned */
	uint64_t max;
	uint64_t last;    /* one more duration, not in the octaves yet; UINT64_MAX: none */
	uint64_t squares; /* sum of the squares of the gaps that add up to `weight` */
			  /* The rest of item.size is private to the runtime. */
};

/*
 * A histogram of durations is log-linear: 32 bins per octave, so a bin is at most 1/32 wide and its
 * middle at most 1.6 % off. An octave is written with its first duration.
 *
 *	octave 0	durations 0...63, a bin each (64 bins)
 *	octave n	2^(n+5)...2^(n+6)-1, 32 bins of 2^n
 */
#define RECORD_BINS    32
#define RECORD_OCTAVES 44 /* longer durations are in the last bin */

struct record_octave {
	struct record_item item;
	uint32_t function;
	uint32_t caller;
	uint32_t octave;
	uint32_t reserved;
	uint64_t bins[]; /* RECORD_BINS, twice as many in octave 0 */
};

/* A call is long from here on. */
#define RECORD_LONG_NS 20000

/*
 * How much of the time of long calls a thread has run, of one function and from one caller. The CPU
 * time of some of these calls was measured; each stands for a number of calls, by which `watched`
 * and `cpu_ns` are weighted.
 */
struct record_waits {
	struct record_item item;
	uint32_t function;
	uint32_t caller;
	uint64_t sum;     /* time of all long calls in the octaves; `last` is not in it */
	uint64_t watched; /* time of those measured */
	uint64_t cpu_ns;  /* CPU time in them */
	uint64_t calls;   /* how many were measured */
};

/* Part of a file that the process has mapped executable, from `time` on. Later maps replace earlier
 * ones in the same place. */
struct record_map {
	struct record_item item;
	uint64_t time; /* in the header's clock; 0: present when recording began */
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint8_t build_id[20];
	uint32_t build_id_size; /* 0: none */
	char path[]; /* with its final 0; "[vdso]", "[anon]" and the like as the kernel names
		      * them */
};

struct record_unmap {
	struct record_item item;
	uint64_t time;
	uint64_t start, end;
};

/* How a process is sampled, and what has been lost so far. */
struct record_sampler {
	struct record_item item;
	char clock[16];        /* perf, timer, itimer, wall, ring */
	uint32_t hz;           /* requested */
	uint32_t is_wall;      /* samples have RECORD_SAMPLE_BLOCKED */
	uint64_t lost;         /* atomic; samples that did not fit */
	uint64_t lost_ns;      /* atomic; the time they stood for */
	uint64_t unwatched_ns; /* CPU time of threads without a clock; or all CPU time, if there was
				* no tick at all */
	uint32_t refused;      /* errno: no clock, and so no samples; 0: it has one */
	uint32_t slowest;      /* atomic; a thread's rate was lowered to hz / 2^slowest; < 32 */
	uint64_t slowed_ns; /* atomic; time that samples of threads with a lowered rate stand for */
	uint64_t unsampled_ns; /* atomic; CPU time of its children by fork() that ended before a
				* tick */
	uint64_t coarse_ns; /* atomic; time of samples that the kernel's own tick triggered, which
			     * may be slower than hz; 0 in older recordings */
	uint64_t lost_regions; /* regions without a name of their own, or nested too deep; 0 in
				* older recordings */
};

/* Why a stack has no more frames. */
enum record_stack_end {
	RECORD_STACK_COMPLETE = 0, /* reached the start of the thread */
	RECORD_STACK_NONE = 1,     /* not requested: the first frame alone */
	RECORD_STACK_TOO_DEEP = 2,
	RECORD_STACK_BROKEN = 3, /* no rule, or unreadable memory */
};

/* In place of the caller's frame: the stack ends here, for that reason. */
#define RECORD_FRAME_LAST(end) (UINT32_C(0xfffffff0) + (end))
#define RECORD_FRAME_MAX       UINT32_C(0x7ffffff0) /* frames have smaller numbers */

/* In record_frame.pc[1]: likely, but not by call frame information. */
#define RECORD_FRAME_GUESSED UINT32_C(0x80000000)

/* A function being executed, in one chain of callers: the frame of its caller and the address in
 * it. So each distinct stack is stored once, and two that differ only in their innermost function
 * share the rest. */
struct record_frame {
	uint32_t caller; /* number of its frame, or RECORD_FRAME_LAST() */
	uint32_t pc[2];  /* low and high half; a return address, except in the innermost frame and
			  * in one interrupted by a signal */
};

/* Frames that a thread was the first to see; the frames of all threads of a process are numbered
 * together. A frame is written before the first sample, or frame, that refers to it. Two threads
 * that see the same frame at once may both write it. */
struct record_frames {
	struct record_item item;
	uint32_t first; /* number of the first one */
	uint32_t count; /* grows */
	uint32_t room;
	uint32_t reserved;
	struct record_frame frames[];
};

/* In record_sample.frame: the thread was not running. */
#define RECORD_SAMPLE_BLOCKED UINT32_C(0x80000000)

/* In place of a frame: recording was paused, and only the time is known. */
#define RECORD_SAMPLE_PAUSED UINT32_C(0x7fffffff)

struct record_sample {
	uint32_t frame;  /* the innermost one */
	uint16_t weight; /* CPU time that it stands for; or wall time, with is_wall */
	uint16_t time;   /* since the previous sample */
};

/* Samples of a thread in the order of time; `count` grows as they are taken. */
struct record_samples {
	struct record_item item;
	uint64_t time;       /* in the header's clock; the first sample's time is relative to it */
	uint32_t time_shift; /* unit of the samples' time: 2^time_shift ticks of that clock; < 64 */
	uint32_t weight_ns;  /* nanoseconds in a unit of weight */
	uint32_t tid; /* of their thread; a segment may serve several threads one after another */
	uint32_t count;
	uint32_t room;
	char name[20]; /* of the thread */
	struct record_sample samples[];
};

_Static_assert(sizeof(struct record_frames) % 8 == 0 && sizeof(struct record_samples) % 8 == 0,
	       "items are aligned to 8 bytes");

#include "recording/format_archive.h"
#include "recording/format_arcs.h"
#include "recording/format_event.h"
#include "recording/format_region.h"
#include "recording/format_script.h"

#endif
