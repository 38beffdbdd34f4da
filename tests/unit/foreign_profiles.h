/* SPDX-License-Identifier: MIT
 *
 * foreign_profiles.h - a small profile of each format that dwell import reads, for its tests and as
 * seeds of its fuzz target.
 */
#ifndef DWELL_TESTS_UNIT_FOREIGN_PROFILES_H
#define DWELL_TESTS_UNIT_FOREIGN_PROFILES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "tap.h"

static const char foreign_folded[] = "# stacks\n"
				     "prog;main;work;leaf 12\n"
				     "prog;main;work 3\n"
				     "\n"
				     "other;main;a b(int, char) 5\n";

/* Recursion, an inlined file, a call without its own object, relative positions, two events. */
static const char foreign_callgrind[] = "# callgrind format\n"
					"version: 1\n"
					"cmd: ./prog -x\n"
					"positions: line\n"
					"events: Ir Dr\n"
					"summary: 160 16\n"
					"ob=(1) /bin/prog\n"
					"fl=(1) prog.c\n"
					"fn=(1) main\n"
					"10 20 2\n"
					"cfn=(2) work\n"
					"calls=4 30\n"
					"+2 120\n"
					"cob=(2) /lib/libz.so\n"
					"cfi=(2) z.c\n"
					"cfn=(3) deflate\n"
					"calls=1 1\n"
					"* 20 1\n"
					"\n"
					"fn=(2)\n"
					"30 90 9\n"
					"fi=(3) inline.h\n"
					"-27 10\n"
					"fe=(1)\n"
					"cfn=(2)\n"
					"calls=2 30\n"
					"31 50\n"
					"cob=(2)\n"
					"cfn=(3)\n"
					"calls=2 1\n"
					"32 20\n"
					"jump=3 31\n"
					"31\n"
					"\n"
					"ob=(2)\n"
					"fl=(2)\n"
					"fn=(3)\n"
					"1 40 5\n";

/* Types samples/count and cpu/nanoseconds; a mapping; a location with an inlined function and one
 * without an address; two samples, of which the second has a thread and a label. */
static const char foreign_pprof[] =
	/* sample type: samples in count */
	"\x0a\x04\x08\x01\x10\x02"
	/* sample type: cpu in nanoseconds */
	"\x0a\x04\x08\x03\x10\x04"
	/* sample: locations 1, 2; 3 samples of 3000000 ns */
	"\x12\x0b\x0a\x02\x01\x02\x12\x05\x03\xc0\x8d\xb7\x01"
	/* sample: location 2; 2 of 2048 ns; thread=worker, pid=42, tier=gold */
	"\x12\x1a\x0a\x01\x02\x12\x03\x02\x80\x10\x1a\x04\x08\x0a\x10\x0b\x1a\x04\x08\x0c\x18\x2a"
	"\x1a\x04\x08\x0d\x10\x0e"
	/* mapping 1: 0x1000 to 0x2000 of /bin/prog */
	"\x1a\x0a\x08\x01\x10\x80\x20\x18\x80\x40\x28\x05"
	/* location 1: mapping 1, 0x1010, function 1 line 10 in function 2 line 20 */
	"\x22\x13\x08\x01\x10\x01\x18\x90\x20\x22\x04\x08\x01\x10\x0a\x22\x04\x08\x02\x10\x14"
	/* location 2: function 3 line 30 */
	"\x22\x08\x08\x02\x22\x04\x08\x03\x10\x1e"
	/* function 1: inner */
	"\x2a\x06\x08\x01\x10\x06\x20\x07"
	/* function 2: outer */
	"\x2a\x06\x08\x02\x10\x08\x20\x07"
	/* function 3: main */
	"\x2a\x04\x08\x03\x10\x09"
	/* strings */
	"\x32\x00"
	""
	"\x32\x07"
	"samples"
	"\x32\x05"
	"count"
	"\x32\x03"
	"cpu"
	"\x32\x0b"
	"nanoseconds"
	"\x32\x09"
	"/bin/prog"
	"\x32\x05"
	"inner"
	"\x32\x06"
	"prog.c"
	"\x32\x05"
	"outer"
	"\x32\x04"
	"main"
	"\x32\x06"
	"thread"
	"\x32\x06"
	"worker"
	"\x32\x03"
	"pid"
	"\x32\x04"
	"tier"
	"\x32\x04"
	"gold"
	/* time, duration, period */
	"\x48\x80\x94\xeb\xdc\x03\x50\x80\xc8\xaf\xa0\x25\x5a\x04\x08\x03\x10\x04\x60\xc0\x84\x3d";

/* ---- perf.data ---- */

struct foreign_perf {
	char bytes[32768];
	size_t size;
	size_t head; /* of the record being written */
	size_t data; /* where records begin */
};

static inline void foreign_perf_put(struct foreign_perf *perf, const void *bytes, size_t size)
{
	if (perf->size + size > sizeof(perf->bytes))
		bail_out("the perf.data is too long");
	memcpy(perf->bytes + perf->size, bytes, size);
	perf->size += size;
}

static inline void foreign_perf_u64(struct foreign_perf *perf, uint64_t value)
{
	foreign_perf_put(perf, &value, sizeof(value));
}

static inline void foreign_perf_u32(struct foreign_perf *perf, uint32_t a, uint32_t b)
{
	foreign_perf_put(perf, (uint32_t[]){ a, b }, 8);
}

/* Puts a text, with zeroes up to a multiple of 8. */
static inline void foreign_perf_text(struct foreign_perf *perf, const char *text)
{
	char padded[64] = { 0 };

	strcpy(padded, text);
	foreign_perf_put(perf, padded, (strlen(text) + 8) & ~(size_t)7);
}

static inline void foreign_perf_begin(struct foreign_perf *perf, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	perf->head = perf->size;
	foreign_perf_put(perf, &header, sizeof(header));
}

static inline void foreign_perf_end(struct foreign_perf *perf)
{
	uint16_t size = (uint16_t)(perf->size - perf->head);

	memcpy(perf->bytes + perf->head + offsetof(struct perf_event_header, size), &size, 2);
}

/* Ends a record that is not a sample: its thread and time are behind it. */
static inline void foreign_perf_stamp(struct foreign_perf *perf, uint32_t pid, uint32_t tid,
				      uint64_t time)
{
	foreign_perf_u32(perf, pid, tid);
	foreign_perf_u64(perf, time);
	foreign_perf_end(perf);
}

static inline void foreign_perf_sample(struct foreign_perf *perf, uint32_t pid, uint32_t tid,
				       uint64_t time, const uint64_t *stack, size_t depth)
{
	foreign_perf_begin(perf, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	foreign_perf_u64(perf, stack[0]);
	foreign_perf_u32(perf, pid, tid);
	foreign_perf_u64(perf, time);
	foreign_perf_u64(perf, 1000000);
	foreign_perf_u64(perf, depth);
	foreign_perf_put(perf, stack, depth * sizeof(*stack));
	foreign_perf_end(perf);
}

static inline void foreign_perf_map(struct foreign_perf *perf, uint32_t pid, uint64_t start,
				    const char *path, uint64_t time)
{
	foreign_perf_begin(perf, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	foreign_perf_u32(perf, pid, pid);
	foreign_perf_u64(perf, start);
	foreign_perf_u64(perf, 0x1000);
	foreign_perf_u64(perf, 0);
	foreign_perf_u64(perf, 0);
	foreign_perf_u64(perf, 0);
	foreign_perf_u64(perf, 0);
	foreign_perf_u32(perf, PROT_READ | PROT_EXEC, MAP_PRIVATE);
	foreign_perf_text(perf, path);
	foreign_perf_stamp(perf, pid, pid, time);
}

static inline void foreign_perf_task(struct foreign_perf *perf, uint32_t pid, uint32_t parent,
				     uint32_t tid, uint64_t time)
{
	foreign_perf_begin(perf, PERF_RECORD_FORK, 0);
	foreign_perf_u32(perf, pid, parent);
	foreign_perf_u32(perf, tid, parent);
	foreign_perf_u64(perf, time);
	foreign_perf_stamp(perf, parent, parent, time);
}

static inline void foreign_perf_name(struct foreign_perf *perf, uint32_t pid, uint32_t tid,
				     const char *name, uint16_t misc, uint64_t time)
{
	foreign_perf_begin(perf, PERF_RECORD_COMM, misc);
	foreign_perf_u32(perf, pid, tid);
	foreign_perf_text(perf, name);
	foreign_perf_stamp(perf, pid, tid, time);
}

/* Puts the header, with one event: the clock of the CPU. */
static inline void foreign_perf_head(struct foreign_perf *perf)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 1000,
		.freq = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD,
	};
	uint64_t header[13] = { 0, 104, sizeof(attr) + 16, 104, sizeof(attr) + 16 };

	perf->size = 0;
	memcpy(header, "PERFILE2", 8);
	foreign_perf_put(perf, header, sizeof(header));
	foreign_perf_put(perf, &attr, sizeof(attr));
	foreign_perf_u64(perf, 104);
	foreign_perf_u64(perf, 0);
	perf->data = perf->size;
}

/* Completes the header: where the records are. */
static inline void foreign_perf_finish(struct foreign_perf *perf)
{
	uint64_t section[] = { perf->data, perf->size - perf->data };

	memcpy(perf->bytes + 40, section, sizeof(section));
}

/* A process that executes a program and forks; samples of it, of its thread and of its child, one
 * of them in the kernel. Some records are in the wrong order, as those of two CPUs are. */
static inline struct foreign_perf foreign_perf_new(void)
{
	static const uint64_t kernel[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					   (uint64_t)PERF_CONTEXT_USER, 0x5010, 0x5020 };
	static const uint64_t user[] = { (uint64_t)PERF_CONTEXT_USER, 0x5010, 0x5020 };
	static const uint64_t later[] = { (uint64_t)PERF_CONTEXT_USER, 0x9010, 0x5020 };
	struct foreign_perf perf;

	foreign_perf_head(&perf);
	foreign_perf_name(&perf, 42, 42, "shell", 0, 0);
	foreign_perf_name(&perf, 42, 42, "prog", PERF_RECORD_MISC_COMM_EXEC, 1000);
	foreign_perf_sample(&perf, 42, 42, 2000, user, 3);
	foreign_perf_map(&perf, 42, 0x5000, "/no/prog", 1500);
	foreign_perf_task(&perf, 42, 42, 43, 2500);
	foreign_perf_name(&perf, 42, 43, "worker", 0, 2600);
	foreign_perf_sample(&perf, 42, 43, 3000, kernel, 5);
	foreign_perf_map(&perf, 50, 0x9000, "/no/plugin.so", 3600);
	foreign_perf_sample(&perf, 50, 50, 4000, later, 3);
	foreign_perf_task(&perf, 50, 42, 50, 3500);
	foreign_perf_begin(&perf, PERF_RECORD_LOST, 0);
	foreign_perf_u64(&perf, 0);
	foreign_perf_u64(&perf, 7);
	foreign_perf_stamp(&perf, 42, 42, 5000);
	foreign_perf_finish(&perf);
	return perf;
}

/* Puts a record with packed ones, as perf record -z does: a part of a stream of zstd, which need
 * not end where a record does. */
static inline void foreign_perf_piece(struct foreign_perf *perf, uint32_t kind, const char *bytes,
				      size_t size, bool is_first)
{
	/* The magic, no size and no checksum, and a window of 128 KB. */
	static const uint8_t stream[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38 };
	size_t head = is_first ? sizeof(stream) : 0;
	/* The head of a block whose bytes are not packed; the second is the last. */
	uint32_t block = (uint32_t)size << 3 | !is_first;

	foreign_perf_begin(perf, kind, 0);
	if (kind == 83)
		foreign_perf_u64(perf, head + 3 + size);
	foreign_perf_put(perf, stream, head);
	foreign_perf_put(perf, &block, 3);
	foreign_perf_put(perf, bytes, size);
	if (kind == 83)
		foreign_perf_put(perf, "padding", 8 - (perf->size - perf->head) % 8);
	foreign_perf_end(perf);
}

/* The same file with packed records, of the kind 81 or 83. */
static inline struct foreign_perf foreign_perf_packed(const struct foreign_perf *from,
						      uint32_t kind)
{
	const char *records = from->bytes + from->data;
	size_t size = from->size - from->data, half = size / 2 + 3;
	struct foreign_perf perf;

	foreign_perf_head(&perf);
	foreign_perf_piece(&perf, kind, records, half, true);
	foreign_perf_piece(&perf, kind, records + half, size - half, false);
	foreign_perf_finish(&perf);
	return perf;
}

/* The same file as a pipe has it: its event, the name of that and the command are records. */
static inline struct foreign_perf foreign_perf_piped(const struct foreign_perf *from)
{
	static const char words[] = "\x02\0\0\0\x05\0\0\0perf\0\x07\0\0\0record";
	const uint64_t id = 77;
	struct foreign_perf perf = { .size = 0 };

	foreign_perf_put(&perf, "PERFILE2", 8);
	foreign_perf_u64(&perf, 16);
	foreign_perf_begin(&perf, 64, 0);
	foreign_perf_put(&perf, from->bytes + 104, sizeof(struct perf_event_attr));
	foreign_perf_u64(&perf, id);
	foreign_perf_end(&perf);
	foreign_perf_begin(&perf, 78, 0);
	foreign_perf_u64(&perf, 2);
	foreign_perf_u64(&perf, id);
	foreign_perf_text(&perf, "cpu-clock:u");
	foreign_perf_end(&perf);
	foreign_perf_begin(&perf, 80, 0);
	foreign_perf_u64(&perf, 11);
	foreign_perf_put(&perf, words, sizeof(words));
	foreign_perf_end(&perf);
	/* Data of tracepoints stands behind its record. */
	foreign_perf_begin(&perf, 66, 0);
	foreign_perf_u32(&perf, 5, 0);
	foreign_perf_end(&perf);
	foreign_perf_put(&perf, "trace\0\0", 8);
	perf.data = perf.size;
	foreign_perf_put(&perf, from->bytes + from->data, from->size - from->data);
	return perf;
}

/* A sample with registers, all that a CPU may have, and a copy of its stack. */
static inline struct foreign_perf foreign_perf_copied(const char *path)
{
	const uint64_t registers = 33, copy_bytes = 128;
	struct perf_event_attr attr;
	struct foreign_perf perf;

	foreign_perf_head(&perf);
	memcpy(&attr, perf.bytes + 104, sizeof(attr));
	attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = (UINT64_C(1) << registers) - 1;
	attr.sample_stack_user = (uint32_t)copy_bytes;
	memcpy(perf.bytes + 104, &attr, sizeof(attr));
	foreign_perf_map(&perf, 42, 0x5000, path, 1000);
	foreign_perf_begin(&perf, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	foreign_perf_u64(&perf, 0x5010);
	foreign_perf_u32(&perf, 42, 42);
	foreign_perf_u64(&perf, 2000);
	foreign_perf_u64(&perf, 1000000);
	foreign_perf_u64(&perf, 0);
	foreign_perf_u64(&perf, 2);
	/* On x86, the eighth and the ninth are the stack pointer and the program counter. */
	for (uint64_t i = 0; i < registers; i++)
		foreign_perf_u64(&perf, i == 8 ? 0x5010 : 0x7000);
	foreign_perf_u64(&perf, copy_bytes);
	for (uint64_t i = 0; i < copy_bytes / 8; i++)
		foreign_perf_u64(&perf, i % 3 ? 0x7000 + 8 * i : 0x5020);
	foreign_perf_u64(&perf, copy_bytes);
	foreign_perf_end(&perf);
	foreign_perf_finish(&perf);
	return perf;
}

#endif
