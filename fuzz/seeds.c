/* SPDX-License-Identifier: MIT
 *
 * seeds.c FOLDER CORPUS... LIBRARY... - writes what the fuzz targets begin with, in a folder for
 * each: small inputs that make sense, and those that are kept in CORPUS, which is TARGET.txt.
 */
#include <errno.h>
#include <sys/stat.h>

#include "../tests/unit/foreign_profiles.h"
#include "../tests/unit/gmon_file.h"
#include "../tests/unit/recordings.h"
#include "kept.h"
#include "packed.h"
#include "seeds.h"

static const char *folder;

FILE *seeds_create(const char *target, const char *name, int number)
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

void seeds_finish(FILE *file)
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

#define REPORTS 37 /* that fuzz_recording.c makes */

static void write_recording(struct recording recording, const char *name)
{
	for (int report = 0; report < REPORTS; report++) {
		FILE *file = seeds_create("recording", name, report);

		putc(report, file);
		write_packed(file, &recording);
		seeds_finish(file);
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

/* Writes maps as runtimes write them, and invalid ones. */
static void write_jit_map(void)
{
	static const char *const maps[] = {
		"7f0000001000 40 alpha\n7f0000001020 100 beta gamma\n0 ffffffffffffffff all\n",
		"1000 10 made\n1000 10 made again\n1000 20 and larger\n",
		"1000 0 empty\n1000 10 \n1000 10\n1000\n\n 1000 10 blank\n",
		"0x1000 0x10 prefixed\n-1 10 signed\n1000 +10 signed\n1000\t10 tabulated\n",
		"ffffffffffffffff 1 last\nffffffffffffffff 2 beyond\n1ffffffffffffffff 1 wide\n",
		"1000 10 carriage return\r\n1010 10 has no end",
	};

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		FILE *file = seeds_create("jit_map", "map", (int)i);

		fputs(maps[i], file);
		seeds_finish(file);
	}
}

static void put_words(FILE *file, const uint64_t *words, size_t count)
{
	fwrite(words, sizeof(*words), count, file);
}

/* Writes a dump with a record of each kind: lines and code, then the same code elsewhere. */
static void write_jitdump(void)
{
	static const uint64_t head[] = { 0x14a695444, 62ull << 32 | 40, 42ull << 32, 0, 0 };
	static const uint64_t lines[] = { 76ull << 32 | 2, 1, 0x1000, 2, 0x1000, 5 };
	static const uint64_t more[] = { 0x1010, 6 };
	static const uint64_t load[] = { 66ull << 32, 2, 0, 0x1000, 0x1000, 256, 1 };
	static const uint64_t move[] = { 64ull << 32 | 1, 3, 0, 0x2000, 0x1000, 0x2000, 256, 1 };
	FILE *file = seeds_create("jitdump", "dump", 0);

	put_words(file, head, 5);
	put_words(file, lines, 6);
	fwrite("/ab.js\0", 1, 7, file);
	put_words(file, more, 2);
	fwrite("\xff\0\0\0\0", 1, 5, file);
	put_words(file, load, 7);
	fwrite("JS:*f /ab", 1, 10, file);
	put_words(file, move, 8);
	seeds_finish(file);
}

/* Writes a profile of each format, with all options. */
static void write_import(void)
{
	struct foreign_perf perf = foreign_perf_new(), piped = foreign_perf_piped(&perf);
	struct foreign_perf packed = foreign_perf_packed(&perf, 81);
	struct foreign_perf padded = foreign_perf_packed(&perf, 83);
	struct foreign_perf copied = foreign_perf_copied("/proc/self/exe");
	const struct {
		const char *name, *bytes;
		size_t size;
	} inputs[] = {
		{ "folded", foreign_folded, sizeof(foreign_folded) - 1 },
		{ "callgrind", foreign_callgrind, sizeof(foreign_callgrind) - 1 },
		{ "pprof", foreign_pprof, sizeof(foreign_pprof) - 1 },
		{ "perf", perf.bytes, perf.size },
		{ "perf_piped", piped.bytes, piped.size },
		{ "perf_packed", packed.bytes, packed.size },
		{ "perf_padded", padded.bytes, padded.size },
		{ "perf_copied", copied.bytes, copied.size },
	};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		for (int options = 0; options < 8; options++) {
			FILE *file = seeds_create("import", inputs[i].name, options);

			putc(options, file);
			fwrite(inputs[i].bytes, 1, inputs[i].size, file);
			seeds_finish(file);
		}
	}
}

/* Writes responses of receivers, and kept messages. */
static void write_receiver(void)
{
	static const struct {
		char status, kind;
		const char *bytes;
		size_t size;
	} inputs[] = {
		{ 0, 0, "\x0a\x08\x08\xac\x02\x12\x03why", 10 },
		{ 0, 0,
		  "\x12\x01x\x18\x05\x21"
		  "12345678\x2d"
		  "1234",
		  19 },
		{ 0, 4, "{\"partialSuccess\":{}}", 21 },
		{ 0, 2, "ok", 2 },
		{ 7, 0, "busy\nnow", 8 },
		{ 0, 1,
		  "dwell message 1\n0123456789abcdef0123456789abcdef\nname\nhttp://host/\n4\n\n"
		  "body",
		  74 },
	};

	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		FILE *file = seeds_create("receiver", "input", (int)i);

		putc(inputs[i].status, file);
		putc(inputs[i].kind, file);
		fwrite(inputs[i].bytes, 1, inputs[i].size, file);
		seeds_finish(file);
	}
}

static void write_gmon_kind(const char *name, const struct gmon_file *gmon)
{
	for (int format = 0; format < 3; format++) {
		FILE *file = seeds_create("gmon", name, format);

		putc(format, file);
		fwrite(gmon->bytes, 1, gmon->size, file);
		seeds_finish(file);
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

static void write_kept(const char *target, const char *path)
{
	char line[2 * KEPT_BYTES + 2];
	FILE *from = fopen(path, "r");
	struct kept kept;

	if (!from)
		bail_out("a kept input is missing");
	for (int number = 0; fgets(line, sizeof(line), from); number++) {
		FILE *to;

		if (line[0] == '#')
			continue;
		if (!kept_parse(line, &kept))
			bail_out("a kept input has other characters than hexadecimal digits");
		to = seeds_create(target, "kept", number);
		fwrite(kept.bytes, 1, kept.size, to);
		seeds_finish(to);
	}
	fclose(from);
}

/* TARGET, if that is what the path is of. */
static bool is_corpus(const char *path, char target[32])
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *end = strstr(name, ".txt");

	if (!end || end[4])
		return false;
	snprintf(target, 32, "%.*s", (int)(end - name), name);
	return true;
}

int main(int argc, char **argv)
{
	char target[32];

	if (argc < 3)
		bail_out("usage: seeds FOLDER CORPUS... LIBRARY...");
	folder = argv[1];
	if (mkdir(folder, 0777) && errno != EEXIST)
		bail_out("the folder cannot be made");
	write_recording(recordings_calls(), "calls");
	write_recording(recordings_tree(), "tree");
	write_recording(recordings_samples(), "samples");
	write_recording(recordings_both(), "both");
	write_recording(recordings_ranks(), "ranks");
	write_recording(recordings_archive(), "archive");
	write_recording(recordings_scripts(), "scripts");
	write_recording(recording_packed(recordings_both()), "packed");
	write_recording(recording_of(argv[argc - 1]), "library");
	for (int i = 2; i < argc; i++) {
		if (is_corpus(argv[i], target)) {
			write_kept(target, argv[i]);
			continue;
		}
		seeds_elf(argv[i], i - 2);
	}
	write_gmon();
	write_import();
	write_jit_map();
	seeds_java();
	write_jitdump();
	write_receiver();
	seeds_cpython();
	seeds_scripts();
	seeds_unwind();
	return 0;
}
