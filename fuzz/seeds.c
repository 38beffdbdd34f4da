/* SPDX-License-Identifier: MIT
 *
 * seeds.c FOLDER LIBRARY... - writes what the fuzz targets begin with: small inputs that make
 * sense, in a folder for each target.
 */
#include <errno.h>
#include <sys/stat.h>

#include "../tests/unit/gmon_file.h"
#include "../tests/unit/recordings.h"
#include "../tests/unit/unwind/fake.h"
#include "foreign.h"
#include "packed.h"

static const char *folder;

static FILE *create(const char *target, const char *name, int number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, target);
	if (mkdir(path, 0777) && errno != EEXIST)
		bail_out("a folder cannot be made");
	snprintf(path, sizeof(path), "%s/%s/%s-%d", folder, target, name, number);
	file = fopen(path, "w");
	if (!file)
		bail_out("a file cannot be made");
	return file;
}

static void finish(FILE *file)
{
	bool failed = ferror(file);

	if (fclose(file) || failed)
		bail_out("a file cannot be written");
}

static void write_packed(FILE *file, const struct recording *recording)
{
	for (size_t grain = 0; grain < recording->size; grain += RECORD_GRAIN) {
		const char *bytes = recording->bytes + grain;
		size_t length = RECORD_GRAIN;

		while (length && !bytes[length - 1])
			length--;
		/* Items end with zeroes; and an empty grain is one still. */
		length = (length + 8) & ~(size_t)7;
		putc((int)(length & 255), file);
		putc((int)(length >> 8), file);
		fwrite(bytes, 1, length, file);
	}
}

#define REPORTS 32 /* that fuzz_recording.c makes */

static void write_recording(struct recording recording, const char *name)
{
	for (int report = 0; report < REPORTS; report++) {
		FILE *file = create("recording", name, report);

		putc(report, file);
		write_packed(file, &recording);
		finish(file);
	}
	recording_free(&recording);
}

/* Samples in a library that is there, for its names, lines and instructions. */
static struct recording recording_of(const char *library)
{
	enum { BYTES = 0x4000, STEP = 0x40 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0), pcs[RECORDING_DEPTH];
	struct record_samples *samples;
	char *path = realpath(library, NULL);

	if (!path)
		bail_out("the library is not there");
	recording_mapped(&recording, 0, 0x10000, BYTES, path, NULL);
	free(path);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	for (uint32_t stack = 0; stack < BYTES / STEP / RECORDING_DEPTH; stack++) {
		for (uint32_t i = 0; i < RECORDING_DEPTH; i++)
			pcs[i] = 0x10000 + (stack * RECORDING_DEPTH + i) * STEP;
		recording_stack(&recording, stack, pcs, RECORDING_DEPTH);
	}
	samples = recording_samples(&recording, 42, "main", 5, BYTES / STEP / RECORDING_DEPTH);
	for (uint32_t stack = 0; stack < BYTES / STEP / RECORDING_DEPTH; stack++)
		recording_sample(samples, stack, 1000000, 5 + 1024 * stack);
	return recording;
}

static void write_elf(const char *target, const char *path, int number)
{
	FILE *from = fopen(path, "r"), *to = create(target, "library", number);
	int byte;

	if (!from)
		bail_out("the library is not there");
	while ((byte = getc(from)) != EOF)
		putc(byte, to);
	fclose(from);
	finish(to);
}

static void write_jit_map(void)
{
	FILE *file = create("jit_map", "map", 0);

	fputs("7f0000001000 40 alpha\n7f0000001020 100 beta gamma\n0 ffffffffffffffff all\n", file);
	finish(file);
}

static void write_gmon_kind(const char *name, const struct gmon_file *gmon)
{
	for (int format = 0; format < 3; format++) {
		FILE *file = create("gmon", name, format);

		putc(format, file);
		fwrite(gmon->bytes, 1, gmon->size, file);
		finish(file);
	}
}

/* Each kind in each of the formats that it is shown in. */
static void write_gmon(void)
{
	static const uint16_t counts[] = { 1, 0, 65535, 7 };
	struct gmon_file gmon = gmon_file_new();

	gmon_file_begin(&gmon, GMON_VERSION);
	gmon_file_histogram(&gmon, 0x1000, 0x1010, 100, counts, 4);
	gmon_file_arc(&gmon, 0x1004, 0x1008, 3);
	write_gmon_kind("gmon", &gmon);
	gmon.address_bytes = 4;
	gmon_file_begin(&gmon, GMON_VERSION);
	gmon_file_histogram(&gmon, 0x1000, 0x1010, 100, counts, 4);
	gmon_file_arc(&gmon, 0x1004, 0x1008, 3);
	write_gmon_kind("narrow", &gmon);
	gmon.address_bytes = 8;
	gmon_file_ld_profile(&gmon, 2);
	write_gmon_kind("ld_profile", &gmon);
	gmon_file_bsd(&gmon, 8, 0x1000, 0x1010, 4, 0);
	gmon_file_number(&gmon, 0x100010000, 8);
	gmon_file_number(&gmon, 0x1004, 8);
	gmon_file_number(&gmon, 0x1008, 8);
	gmon_file_number(&gmon, 3, 8);
	write_gmon_kind("bsd", &gmon);
	close(gmon.fd);
}

static void write_foreign(const char *name, unsigned flags)
{
	FILE *file = create("unwind", name, (int)flags);

	putc((int)flags, file);
	putc(0x20, file);
	putc(0, file);
	fwrite(fake.data, 1, fake.size, file);
	finish(file);
	fake.size = 0;
}

/* A function that saves a register, and one whose CFA is by an expression. */
static void write_frames(void)
{
	static const uint8_t pushes[] = { DW_CFA_advance_loc | 1,
					  DW_CFA_def_cfa_offset,
					  16,
					  DW_CFA_offset | 6,
					  2,
					  DW_CFA_remember_state,
					  DW_CFA_advance_loc | 4,
					  DW_CFA_restore_state };
	static const uint8_t computes[] = { DW_CFA_def_cfa_expression,
					    2,
					    0x77,
					    8,
					    DW_CFA_val_offset,
					    3,
					    1,
					    DW_CFA_expression,
					    12,
					    2,
					    0x77,
					    0x10 };
	size_t cie = fake_cie("", NULL, 0);

	fake_fde(cie, FAKE_CODE, 0x100, pushes, sizeof(pushes));
	fake_fde(cie, FAKE_CODE + 0x100, 0x100, computes, sizeof(computes));
}

/* A sorted table of one entry, and what it leads to: a frame that the kernel has made. */
static void write_header(void)
{
	static const uint8_t head[] = { 1, 0x1b, 0x03, 0x3b }, no_more[] = { 0 };
	size_t entry, cie;
	uint32_t fde;

	fake_bytes(head, sizeof(head));
	fake_u32(16);
	fake_u32(1);
	fake_u32((uint32_t)(FAKE_CODE - FAKE_DATA));
	entry = fake.size;
	fake_u32(0);
	cie = fake_cie("zS", no_more, 0);
	fde = (uint32_t)fake_fde(cie, FAKE_CODE, 0x100, no_more, sizeof(no_more));
	memcpy(fake.data + entry, &fde, sizeof(fde));
}

static void write_unwind(void)
{
	write_frames();
	write_foreign("frames", 0);
	write_frames();
	write_foreign("frames", FOREIGN_BY_ASKING);
	write_header();
	write_foreign("header", FOREIGN_HAS_HEADER);
	write_header();
	write_foreign("header", FOREIGN_HAS_HEADER | FOREIGN_UNRELOCATED);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		bail_out("usage: seeds FOLDER LIBRARY...");
	folder = argv[1];
	if (mkdir(folder, 0777) && errno != EEXIST)
		bail_out("the folder cannot be made");
	write_recording(recordings_calls(), "calls");
	write_recording(recordings_samples(), "samples");
	write_recording(recordings_both(), "both");
	write_recording(recordings_archive(), "archive");
	write_recording(recording_packed(recordings_both()), "packed");
	write_recording(recording_of(argv[argc - 1]), "library");
	for (int i = 2; i < argc; i++) {
		write_elf("elf", argv[i], i - 2);
		write_elf("image", argv[i], i - 2);
	}
	write_gmon();
	write_jit_map();
	write_unwind();
	return 0;
}
