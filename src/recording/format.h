/* SPDX-License-Identifier: MIT
 *
 * format.h - a recording: the one seam between what runs inside the targets and the tools.
 *
 * A recording is a file that every process under dwell maps MAP_SHARED and counts in. Nothing is
 * ever written "at the end", so nothing is lost when a process ends in whatever way. See FORMAT.md
 * for the pictures.
 *
 *	header		one grain
 *	segment...	each a whole number of grains, allocated by adding to header.end
 *
 * When all is over, the tool packs it: header and segments as long as what is in them. Who comes
 * later still gets grains behind that.
 *
 * A segment has one writer: a process, or one thread of it. It starts with a struct record_segment
 * and holds items up to the first one whose kind is 0. A grain that does not start with a segment's
 * mark was allocated by somebody who died at once: skip it.
 *
 * All numbers are little-endian, which every CPU is that we have; times are ticks of header.clock.
 * Readers must take nothing for granted: a recording is foreign bytes.
 */
#ifndef DWELL_RECORDING_FORMAT_H
#define DWELL_RECORDING_FORMAT_H

#include <stdint.h>

#define RECORD_MAGIC   "dwell\r\n\032" /* eight bytes, without the final 0 */
#define RECORD_VERSION 5
#define RECORD_GRAIN   16384 /* bytes */
#define RECORD_PACKED  64    /* bytes; the grain of what is packed */

/* What header.clock counts. */
enum record_clock {
	RECORD_CLOCK_NS = 1,   /* CLOCK_MONOTONIC in nanoseconds */
	RECORD_CLOCK_TICKS = 2 /* the CPU's counter; two pairs in the header say how fast it is */
};

/* What was asked for: header.flags. */
enum record_flags {
	RECORD_COUNT_ONLY = 1,
	RECORD_SAMPLE_TIMING = 2,
	RECORD_BY_CALLER = 4,
	RECORD_BY_THREAD = 8,
	RECORD_NO_FOLLOW = 16,
	RECORD_VIA_GOT = 32,
	RECORD_NO_STACKS = 64, /* samples have the innermost frame alone */
	RECORD_ATTACHED = 128, /* processes that ran already: nobody knows how they end */
};

/* The same instant on the CPU's counter and on CLOCK_MONOTONIC_RAW; all 0: not taken. */
struct record_instant {
	uint64_t ticks;
	uint64_t ns;
};

/*
 * What a thread that calls exec() leaves for itself as the new program: how much CPU time it has
 * used by then. The kernel goes on counting, so that nobody else could tell how much the dynamic
 * linker of the new one takes. In the place of tid % RECORD_HANDOVERS, where others may overwrite
 * it.
 */
#define RECORD_HANDOVERS 512
struct record_handover {
	uint32_t tid;
	uint32_t cpu_us; /* the lower half of it */
};

/*
 * What `dwell archive` knew of a recording that the archive itself no longer shows; all 0: it is no
 * archive.
 */
struct record_archive {
	struct record_instant
		read;     /* when; only if there is no `ended` that tells how fast ticks are */
	uint64_t damaged; /* items and segments that made no sense, and were left out */
	uint64_t missing; /* bytes that were missing at the end */
};

/* What there was no room for: the disk was full, or a limit of the process was reached. */
struct record_scarcity {
	uint64_t processes; /* atomic; of which there is nothing at all */
	uint32_t pid;       /* atomic; of the last of them */
	uint32_t code;      /* atomic; errno of the first time; 0: there always was room */
};

/* Programs that were executed where they could not open the recording: by a process that had given
 * up rights, or had gone where paths mean something else; or in an environment without us. */
struct record_unreached {
	uint64_t programs; /* atomic */
	uint32_t code;     /* atomic; errno of the first time; ELIBACC: by their environment */
	uint32_t sandbox;  /* atomic; enum record_sandbox: of processes that are recorded */
};

/* What a program has restricted itself by, and what could not be recorded for that; 0: nothing was
 * lost. */
enum record_sandbox {
	RECORD_SANDBOX_SECCOMP = 1,
	RECORD_SANDBOX_LANDLOCK = 2,
	RECORD_SANDBOX_ROOT = 4,   /* its root is an empty folder */
	RECORD_SANDBOX_ROOM = 256, /* the recording could not be made longer */
	RECORD_SANDBOX_CLOCKS =
		512, /* threads or children got no clock, or none that can be read */
	RECORD_SANDBOX_STACKS = 1024, /* stacks could not be read */
	RECORD_SANDBOX_MAPS = 2048,   /* code that was loaded could not be looked up */
};

struct record_header {
	char magic[8];
	uint32_t version;
	uint32_t clock;  /* enum record_clock */
	uint32_t flags;  /* enum record_flags */
	uint32_t status; /* what wait() said when the command ended, if ended.ns */
	uint64_t end;    /* atomic; the file is used up to here */
	uint64_t started_unix_ns;
	struct record_instant started,
		ended;           /* by the tool; ended is 0 while it runs, or was killed */
	uint8_t boot_id[16];     /* of the machine's boot, so that instants can be compared */
	uint32_t command_size;   /* of the arguments of the command, each with its final 0 */
	uint32_t hz;             /* samples that are wanted in a second; 0: none at all */
	char sampling_clock[16]; /* which one is to be used; "": the best there is */
	struct record_archive archive;
	struct record_scarcity scarcity;
	uint64_t packed; /* segments before this offset are packed, and follow the header's end; 0:
			  * none is */
	struct record_unreached unreached;
	struct record_handover handovers[RECORD_HANDOVERS]; /* of threads that sample themselves */
	char command[4096]; /* may be cut; if segments are packed, what is not used is not there */
};
_Static_assert(sizeof(struct record_header) <= RECORD_GRAIN, "it fits");

/* header.end of a recording that takes no more: there is no file of that size, and so no room for
 * another segment. */
#define RECORD_END_SEALED                                                                          \
	(UINT64_C(0x7fffffffffffffff) / RECORD_GRAIN * RECORD_GRAIN - RECORD_GRAIN)

#define RECORD_SEGMENT_MARK 0x47455344u /* "DSEG" */

enum record_segment_kind {
	RECORD_SETUP = 1,   /* by the tool: items SPEC */
	RECORD_PROCESS = 2, /* struct record_process; items OBJECT and FUNCTION */
	RECORD_NAMES = 3,   /* of a process that needs more room: items OBJECT and FUNCTION */
	RECORD_THREAD = 4,  /* struct record_thread; items CALLS and OCTAVE */
	RECORD_COUNTS = 5,  /* of a thread that needs more room: items CALLS and OCTAVE */
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
			  * and of all that it has waited for, as the kernel says; 0: not known */
	uint64_t reserved[4];
};

/* Follows the struct record_segment of RECORD_PROCESS. One for each program image: exec starts a
 * new one. */
struct record_process {
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t started;        /* in the header's clock */
	uint64_t lost_threads;   /* atomic; threads whose calls could not be counted at all */
	uint64_t lost_calls;     /* atomic; calls that could not be counted */
	uint64_t lost_functions; /* atomic; functions that were chosen and could not be wrapped */
	uint64_t inside;   /* ticks that the wrapper adds to what it measures; already subtracted */
	uint64_t outside;  /* ticks that it adds to its caller besides; already subtracted */
	uint32_t threads;  /* atomic; how many counted something */
	uint32_t bindings; /* atomic; how many times a function was handed out wrapped */
	uint32_t
		forked; /* 1: made by fork(), so FUNCTIONs and OBJECTs of its parent hold as well */
	uint32_t pid_namespace; /* inode of the one that pid is of; 0: nobody knows */
	uint64_t parent;        /* then: file offset of the parent's segment */
	char command[304];      /* the arguments, 0 between them; may be cut; ends with 0 */
};

/* Follows the struct record_segment of RECORD_THREAD. Later threads may go on counting in it,
 * unless RECORD_BY_THREAD was asked for. */
struct record_thread {
	uint32_t tid;   /* of the last one */
	uint32_t users; /* how many threads have counted here */
	char name[16];
	uint64_t reserved[5];
};

/* All heads are a multiple of 64 bytes long, so that what is counted in has its cache lines to
 * itself. */
_Static_assert(sizeof(struct record_segment) % 64 == 0 && sizeof(struct record_process) % 64 == 0 &&
		       sizeof(struct record_thread) % 64 == 0,
	       "alignment");

/* Items are aligned to 8 bytes; writers choose 64. */
struct record_item {
	uint32_t kind; /* written last; 0: here the segment ends for now */
	uint32_t size; /* bytes, with this head, a multiple of 8 */
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
};

/* What the user chose by. */
enum record_spec_role { RECORD_CHOOSE = 1, RECORD_EXCLUDE = 2, RECORD_FROM = 3 };

struct record_spec {
	struct record_item item;
	uint32_t role;    /* enum record_spec_role */
	uint32_t matched; /* any process sets it to 1 when the spec matched something */
	char text[];      /* with its final 0 */
};

/* An object of the process: a program or a library. */
struct record_object {
	struct record_item item;
	uint32_t id; /* in this process; from 0 */
	uint32_t reserved;
	uint64_t bias; /* address less the one in the file, when it was first seen */
	char text[];   /* its path and its soname, each with its final 0; the soname may be "" */
};

enum record_function_flags {
	RECORD_COUNTED = 1, /* never timed, because it must see its real caller */
};

struct record_function {
	struct record_item item;
	uint32_t id;     /* in this process; from 0 */
	uint32_t object; /* that defines it */
	uint32_t flags;  /* enum record_function_flags */
	uint32_t reserved;
	uint64_t address; /* in its object: less the bias */
	char text[];      /* symbol and version, each with its final 0; the version may be "" */
};

#define RECORD_NO_CALLER UINT32_MAX

/*
 * What one thread knows of one function (and one calling object). Sum over all that have the same
 * process and function. Net of what the wrapper costs. Written by the thread alone, without
 * atomics: a reader of a living process sees each number whole, but not all of the same instant.
 *
 * calls = returned + escaped + abandoned + untimed + those still running, where "still running" is
 * what is left. With RECORD_SAMPLE_TIMING, each timed call stands for the gap of calls since the
 * one before, so `sum`, `again` and the octaves are sums weighted by that gap; there is no `self`.
 */
struct record_calls {
	struct record_item item;
	uint32_t function;
	uint32_t caller; /* object, or RECORD_NO_CALLER */
	uint64_t calls;  /* counted at entry */
	uint64_t returned;
	uint64_t escaped;   /* left by an exception, a cancellation, pthread_exit() */
	uint64_t abandoned; /* left by longjmp() */
	uint64_t untimed;
	/* Up to here for RECORD_COUNT_ONLY; item.size tells. */
	uint64_t sum;   /* time of all that returned */
	uint64_t again; /* the part of it in calls that a call of the same function contains */
	int64_t self;   /* time less that of wrapped callees */
	uint64_t
		weight; /* how many calls the sums stand for, if sampled; else `returned` is that */
	uint64_t min;   /* UINT64_MAX: none has returned */
	uint64_t max;
	uint64_t last;    /* one more duration, which is not in the octaves yet; UINT64_MAX: none */
	uint64_t squares; /* sum of the squares of the gaps that `weight` is the sum of */
			  /* What else item.size covers is the runtime's own. */
};

/*
 * A histogram of durations is log-linear: 32 bins an octave, so a bin is at most 1/32 wide and its
 * middle at most 1.6 % off. An octave is written when it has its first duration.
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

/*
 * Part of a file that the process has mapped to be executed, from `time` on. Later maps replace
 * what is in the same place.
 */
struct record_map {
	struct record_item item;
	uint64_t time; /* in the header's clock; 0: it was there when recording began */
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint8_t build_id[20];
	uint32_t build_id_size; /* 0: it has none */
	char path[]; /* with its final 0; "[vdso]", "[anon]" and the like as the kernel has them */
};

struct record_unmap {
	struct record_item item;
	uint64_t time;
	uint64_t start, end;
};

/* How a process is sampled, and what was lost so far. */
struct record_sampler {
	struct record_item item;
	char clock[16];        /* perf, timer, itimer, wall, ring */
	uint32_t hz;           /* asked for */
	uint32_t is_wall;      /* samples have RECORD_SAMPLE_BLOCKED */
	uint64_t lost;         /* atomic; samples that there was no room for */
	uint64_t lost_ns;      /* atomic; what they stood for */
	uint64_t unwatched_ns; /* CPU time of threads that could not be watched; or all, if there
				* was no tick at all */
	uint32_t refused;      /* errno: there is no clock, and so are no samples; 0: there is */
	uint32_t slowest;   /* atomic; the rate of a thread was lowered to hz / 2^slowest; < 32 */
	uint64_t slowed_ns; /* atomic; what samples of threads with a lowered rate stand for */
	uint64_t unsampled_ns; /* atomic; CPU time of its children by fork() that ended before a
				  tick */
	uint32_t reserved[2];
};

/* Why a stack has no more frames. */
enum record_stack_end {
	RECORD_STACK_COMPLETE = 0, /* it reached the start of the thread */
	RECORD_STACK_NONE = 1,     /* none was asked for: the first frame alone */
	RECORD_STACK_TOO_DEEP = 2,
	RECORD_STACK_BROKEN = 3, /* no rule, or memory that cannot be read */
};

/* In the place of the caller's frame: the stack ends here, for that reason. */
#define RECORD_FRAME_LAST(end) (UINT32_C(0xfffffff0) + (end))
#define RECORD_FRAME_MAX       UINT32_C(0x7ffffff0) /* frames have smaller numbers */

/* In record_frame.pc[1]: not by call frame information, but likely. */
#define RECORD_FRAME_GUESSED UINT32_C(0x80000000)

/*
 * A function that was being executed, in one chain of callers: the frame of its caller and the
 * address in it. So every stack that has been seen is there once, and two that differ in their
 * innermost function alone share the rest.
 */
struct record_frame {
	uint32_t caller; /* number of its frame, or RECORD_FRAME_LAST() */
	uint32_t pc[2];  /* low and high half; a return address, but for that of the innermost
			  * frame, and of one that was interrupted by a signal */
};

/*
 * Frames that a thread was the first to see; those of all threads of a process are numbered
 * together. A frame is written before the first sample, or frame, that refers to it. Two threads
 * that see the same one at once may both write it.
 */
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

struct record_sample {
	uint32_t frame;  /* the innermost one */
	uint16_t weight; /* how much CPU time it stands for; or wall time, with is_wall */
	uint16_t time;   /* since the sample before it */
};

/* Samples of a thread in the order of time; `count` grows as they are taken. */
struct record_samples {
	struct record_item item;
	uint64_t time; /* of the instant that the first one's is since, in the header's clock */
	uint32_t time_shift; /* samples have time in units of 2^time_shift of that clock; < 64 */
	uint32_t weight_ns;  /* nanoseconds in a unit of weight */
	uint32_t tid; /* whose they are; a segment may serve several threads one after another */
	uint32_t count;
	uint32_t room;
	char name[20]; /* of the thread */
	struct record_sample samples[];
};
/* A call from one place of the program to another, and how often it was made. */
struct record_arc {
	uint64_t from;  /* the return address, in the caller */
	uint64_t self;  /* an address in the function that is called; 0: not yet written */
	uint64_t count; /* grows, without atomics: one thread at a time writes it */
};

/*
 * Calls that functions built with -pg have counted themselves, in the order in which they were
 * first made. `count` grows. The same arc may be in several items, and in one of them twice: their
 * sum is meant. Addresses mean what was mapped there at `time`, or next after that.
 */
struct record_arcs {
	struct record_item item;
	uint64_t time; /* in the header's clock */
	uint32_t room;
	uint32_t count;
	struct record_arc arcs[];
};
_Static_assert(sizeof(struct record_arcs) % 8 == 0 && sizeof(struct record_arc) == 24,
	       "items are aligned to 8 bytes");

_Static_assert(sizeof(struct record_frames) % 8 == 0 && sizeof(struct record_samples) % 8 == 0,
	       "items are aligned to 8 bytes");

/*
 * What follows is in archives alone: what was known of each address that samples are of, on the
 * machine that has the files. FILEs and TEXTs are numbered from 0, in their order in the recording.
 */

/* What could be made of a file. */
enum record_file_state {
	RECORD_FILE_MADE = 0, /* no file: what a process has made itself, by its JIT's map */
	RECORD_FILE_OPEN = 1,
	RECORD_FILE_MISSING = 2,
	RECORD_FILE_CHANGED = 3,
	RECORD_FILE_DAMAGED = 4,
};

struct record_file {
	struct record_item item;
	uint32_t state;   /* enum record_file_state */
	uint32_t is_full; /* 1: it had symbols of all its functions */
	uint32_t pid;     /* of RECORD_FILE_MADE */
	uint8_t build_id[20];
	uint32_t build_id_size; /* 0: it has none */
	uint32_t reserved;
	char path[]; /* and the package that it is of, each with its final 0; the package may be ""
		      */
};

struct record_text {
	struct record_item item;
	char text[]; /* with its final 0 */
};

#define RECORD_NO_TEXT UINT32_MAX

enum record_place_flags {
	RECORD_PLACE_INLINED = 1, /* what it was inlined into is the next one, of the same offset */
	RECORD_PLACE_SIGNAL = 2,  /* signal handlers return there */
	RECORD_PLACE_PLAIN = 4,   /* the next one, of the same offset, is what is said there if
				   * functions that are inlined are not told apart */
};

/* A function that is at an offset of a file. */
struct record_place {
	uint64_t offset;  /* or the address, of RECORD_FILE_MADE */
	uint64_t address; /* as the file counts */
	uint64_t start;   /* of the function */
	uint32_t symbol;  /* number of a TEXT; RECORD_NO_TEXT: nobody knows */
	uint32_t source;  /* the same: the file it was compiled from */
	uint32_t line;    /* of that; 0: nobody knows */
	uint32_t flags;   /* enum record_place_flags */
};

struct record_places {
	struct record_item item;
	uint32_t file; /* number of the FILE that they are in */
	uint32_t count;
	struct record_place places[];
};
_Static_assert(sizeof(struct record_places) % 8 == 0 && sizeof(struct record_place) % 8 == 0,
	       "items are aligned to 8 bytes");

#endif
