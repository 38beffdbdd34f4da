/* SPDX-License-Identifier: MIT
 *
 * export_firefox.c - the processed profile format of the Firefox Profiler: JSON in which tables are
 * objects of columns. docs-developer and src/types/profile.ts of firefox-devtools/profiler describe
 * them and their versions; newer versions read older profiles.
 *
 * The weight of a sample is the time that it stands for, in milliseconds, or the number of events.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_common.h"
#include "firefox_meta.h"
#include "firefox_tables.h"
#include "output/table/json.h"
#include "output/table/language.h"

/* resourceTable.type of a library. */
#define RESOURCE_LIBRARY 1

/* The state of one thread. */
struct thread {
	const struct profile *profile;
	const uint32_t *samples; /* sorted by time */
	size_t count;
	struct firefox_tables tables;
	uint32_t *stacks; /* of each stack of the profile: its place; HASH_NONE: none yet */
	FILE *out;
};

/* Writes the cell of a row. */
typedef void write_cell(const struct thread *thread, size_t row);

static void write_column(const struct thread *thread, const char *name, size_t count,
			 write_cell *write)
{
	fprintf(thread->out, "\"%s\":[", name);
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc(',', thread->out);
		write(thread, i);
	}
	fputs("],\n", thread->out);
}

static void write_number_or_null(const struct thread *thread, uint32_t number)
{
	if (number == HASH_NONE)
		fputs("null", thread->out);
	else
		fprintf(thread->out, "%" PRIu32, number);
}

static void write_null(const struct thread *thread, size_t row)
{
	(void)row;
	fputs("null", thread->out);
}

static void write_zero(const struct thread *thread, size_t row)
{
	(void)row;
	putc('0', thread->out);
}

static void write_false(const struct thread *thread, size_t row)
{
	(void)row;
	fputs("false", thread->out);
}

/* ---- samples ---- */

static const struct profile_sample *sample_at(const struct thread *thread, size_t row)
{
	return &thread->profile->samples[thread->samples[row]];
}

static void sample_stack(const struct thread *thread, size_t row)
{
	write_number_or_null(thread, thread->stacks[sample_at(thread, row)->stack]);
}

static void sample_time(const struct thread *thread, size_t row)
{
	firefox_write_ms(sample_at(thread, row)->time_ns, thread->out);
}

static void sample_weight(const struct thread *thread, size_t row)
{
	if (thread->profile->totals.event)
		fprintf(thread->out, "%" PRIu64, sample_at(thread, row)->ns);
	else
		firefox_write_ms(sample_at(thread, row)->ns, thread->out);
}

/* Writes the CPU time since the previous sample, so that the graph has gaps where a thread did not
 * run. */
static void sample_cpu(const struct thread *thread, size_t row)
{
	const struct profile_sample *sample = sample_at(thread, row);

	fprintf(thread->out, "%" PRIu64, sample->is_blocked ? 0 : sample->ns);
}

static void write_samples(const struct thread *thread)
{
	fputs("\"samples\":{", thread->out);
	write_column(thread, "stack", thread->count, sample_stack);
	write_column(thread, "time", thread->count, sample_time);
	write_column(thread, "weight", thread->count, sample_weight);
	if (!thread->profile->totals.event)
		write_column(thread, "threadCPUDelta", thread->count, sample_cpu);
	fprintf(thread->out, "\"weightType\":\"%s\",\"length\":%zu},\n",
		thread->profile->totals.event ? "samples" : "tracing-ms", thread->count);
}

/* ---- stacks ---- */

static void stack_frame(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu32, (uint32_t)thread->tables.stacks.items[row]);
}

static void stack_prefix(const struct thread *thread, size_t row)
{
	uint32_t caller = (uint32_t)(thread->tables.stacks.items[row] >> 32);

	write_number_or_null(thread, caller ? caller - 1 : HASH_NONE);
}

static void write_stacks(const struct thread *thread)
{
	size_t count = thread->tables.stacks.count;

	fputs("\"stackTable\":{", thread->out);
	write_column(thread, "frame", count, stack_frame);
	write_column(thread, "prefix", count, stack_prefix);
	fprintf(thread->out, "\"length\":%zu},\n", count);
}

/* ---- frames ---- */

static const struct frame *frame_at(const struct thread *thread, size_t row)
{
	return profile_frame(thread->profile, thread->tables.frames[row].number);
}

static void frame_address(const struct thread *thread, size_t row)
{
	if (thread->tables.frames[row].symbol == HASH_NONE)
		fputs("-1", thread->out);
	else
		fprintf(thread->out, "%" PRIu64, frame_at(thread, row)->address);
}

static void frame_inline_depth(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu32, thread->tables.frames[row].inline_depth);
}

static void frame_function(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu32, thread->tables.frames[row].function);
}

static void frame_symbol(const struct thread *thread, size_t row)
{
	write_number_or_null(thread, thread->tables.frames[row].symbol);
}

static void frame_line(const struct thread *thread, size_t row)
{
	const struct frame *frame = frame_at(thread, row);

	write_number_or_null(thread, frame->line ? frame->line : HASH_NONE);
}

/* Writes the number of the language; 0: native. */
static void frame_category(const struct thread *thread, size_t row)
{
	const struct function *function =
		&thread->profile->functions.list[frame_at(thread, row)->function];

	fprintf(thread->out, "%" PRIu32, language_of(function) ? function->language : 0);
}

static void write_frames(const struct thread *thread)
{
	size_t count = thread->tables.by_frame.count;

	fputs("\"frameTable\":{", thread->out);
	write_column(thread, "address", count, frame_address);
	write_column(thread, "inlineDepth", count, frame_inline_depth);
	write_column(thread, "category", count, frame_category);
	write_column(thread, "subcategory", count, write_zero);
	write_column(thread, "func", count, frame_function);
	write_column(thread, "nativeSymbol", count, frame_symbol);
	write_column(thread, "innerWindowID", count, write_null);
	write_column(thread, "line", count, frame_line);
	write_column(thread, "column", count, write_null);
	fprintf(thread->out, "\"length\":%zu},\n", count);
}

/* ---- functions ---- */

static const struct function *function_at(const struct thread *thread, size_t row)
{
	return &thread->profile->functions.list[thread->tables.functions.items[row]];
}

static void write_text_number(const struct thread *thread, const char *text)
{
	fprintf(thread->out, "%" PRIu32,
		string_table_number(&thread->tables.common->strings, text));
}

static void function_name(const struct thread *thread, size_t row)
{
	write_text_number(thread, function_at(thread, row)->name);
}

/* Writes -1 if there is none. */
static void function_resource(const struct thread *thread, size_t row)
{
	struct firefox_common *common = thread->tables.common;
	uint32_t lib = firefox_common_lib(common, function_at(thread, row));
	const uint32_t *place =
		lib == HASH_NONE ? NULL : hash_find(&thread->tables.resources.by_item, lib);

	if (place)
		fprintf(thread->out, "%" PRIu32, *place);
	else
		fputs("-1", thread->out);
}

static void function_source(const struct thread *thread, size_t row)
{
	struct firefox_common *common = thread->tables.common;
	const char *source = common->function_sources[thread->tables.functions.items[row]];

	write_number_or_null(thread,
			     source ? string_table_number(&common->sources, source) : HASH_NONE);
}

static void function_line(const struct thread *thread, size_t row)
{
	const struct function *function = function_at(thread, row);

	write_number_or_null(thread, function->is_script ? (uint32_t)function->start : HASH_NONE);
}

static void write_functions(const struct thread *thread)
{
	size_t count = thread->tables.functions.count;

	fputs("\"funcTable\":{", thread->out);
	write_column(thread, "name", count, function_name);
	write_column(thread, "isJS", count, write_false);
	write_column(thread, "relevantForJS", count, write_false);
	write_column(thread, "resource", count, function_resource);
	write_column(thread, "source", count, function_source);
	write_column(thread, "lineNumber", count, function_line);
	write_column(thread, "columnNumber", count, write_null);
	fprintf(thread->out, "\"length\":%zu},\n", count);
}

/* ---- symbols and libraries of this thread's functions ---- */

static const struct function *symbol_at(const struct thread *thread, size_t row)
{
	return &thread->profile->functions.list[thread->tables.symbols.items[row]];
}

static void symbol_lib(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu32,
		firefox_common_lib(thread->tables.common, symbol_at(thread, row)));
}

static void symbol_address(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu64, symbol_at(thread, row)->start);
}

static void symbol_name(const struct thread *thread, size_t row)
{
	write_text_number(thread, symbol_at(thread, row)->name);
}

static void resource_lib(const struct thread *thread, size_t row)
{
	fprintf(thread->out, "%" PRIu64, thread->tables.resources.items[row]);
}

static const struct symbolizer_object *lib_at(const struct firefox_common *common, size_t place)
{
	return common->profile->functions.symbolizer.objects[common->libs.items[place]];
}

static void resource_name(const struct thread *thread, size_t row)
{
	write_text_number(
		thread, lib_at(thread->tables.common, thread->tables.resources.items[row])->title);
}

static void resource_type(const struct thread *thread, size_t row)
{
	(void)row;
	fprintf(thread->out, "%d", RESOURCE_LIBRARY);
}

static void write_symbols(const struct thread *thread)
{
	size_t symbols = thread->tables.symbols.count, resources = thread->tables.resources.count;

	fputs("\"nativeSymbols\":{", thread->out);
	write_column(thread, "libIndex", symbols, symbol_lib);
	write_column(thread, "address", symbols, symbol_address);
	write_column(thread, "name", symbols, symbol_name);
	write_column(thread, "functionSize", symbols, write_null);
	fprintf(thread->out, "\"length\":%zu},\n\"resourceTable\":{", symbols);
	write_column(thread, "lib", resources, resource_lib);
	write_column(thread, "name", resources, resource_name);
	write_column(thread, "host", resources, write_null);
	write_column(thread, "type", resources, resource_type);
	fprintf(thread->out, "\"length\":%zu}", resources);
}

/* ---- threads ---- */

static void write_head(const struct thread *thread)
{
	uint32_t number = thread->profile->stacks[sample_at(thread, 0)->stack].thread;
	const struct profile_thread *it = &thread->profile->threads[number];

	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\n\"registerTime\":",
	      thread->out);
	firefox_write_ms(sample_at(thread, 0)->time_ns, thread->out);
	fputs(",\"unregisterTime\":null,\"pausedRanges\":[],\"name\":", thread->out);
	json_write_string(it->name, thread->out);
	fputs(",\"processName\":", thread->out);
	json_write_string(export_process_title(it), thread->out);
	fprintf(thread->out,
		",\n\"isMainThread\":%s,\"pid\":\"%" PRIu64 "\",\"tid\":%" PRIu32 ",\n",
		export_pid(it) == it->tid ? "true" : "false", export_process(it), it->tid);
	fputs("\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
	      "\"category\":[],\"length\":0},\n",
	      thread->out);
}

static int write_thread(struct thread *thread, struct firefox_common *common, struct err *err)
{
	firefox_tables_init(&thread->tables, common);
	for (size_t i = 0; i < thread->count && !common->failed; i++) {
		uint32_t stack = sample_at(thread, i)->stack;

		if (thread->stacks[stack] == HASH_NONE)
			thread->stacks[stack] = firefox_tables_stack(
				&thread->tables, &thread->profile->stacks[stack]);
	}
	if (!common->failed) {
		write_head(thread);
		write_samples(thread);
		write_stacks(thread);
		write_frames(thread);
		write_functions(thread);
		write_symbols(thread);
		putc('}', thread->out);
	}
	firefox_tables_free(&thread->tables);
	return common->failed ? err_no_memory(err) : 0;
}

static int write_threads(struct firefox_common *common, const uint32_t *order, FILE *out,
			 struct err *err)
{
	const struct profile *profile = common->profile;
	struct thread thread = { .profile = profile,
				 .samples = order,
				 .stacks = malloc((profile->stack_count + 1) *
						  sizeof(*thread.stacks)),
				 .out = out };
	int status = thread.stacks ? 0 : err_no_memory(err);

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		thread.stacks[i] = HASH_NONE;
	for (size_t left = profile->sample_count; left && !status; left -= thread.count) {
		uint32_t number = profile->stacks[profile->samples[*thread.samples].stack].thread;

		for (thread.count = 1; thread.count < left; thread.count++)
			if (profile->stacks[sample_at(&thread, thread.count)->stack].thread !=
			    number)
				break;
		fputs(thread.samples == order ? "\n" : ",\n", out);
		status = write_thread(&thread, common, err);
		thread.samples += thread.count;
	}
	free(thread.stacks);
	return status;
}

/* ---- shared by all threads ---- */

/* Writes the build-id as Breakpad does: a GUID, whose first three parts are numbers, and an age. */
static void write_breakpad_id(const struct build_id *id, FILE *out)
{
	static const uint8_t places[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	putc('"', out);
	for (size_t i = 0; i < sizeof(places); i++)
		fprintf(out, "%02X", places[i] < id->size ? id->bytes[places[i]] : 0);
	fputs("0\"", out);
}

static void write_lib(const struct symbolizer_object *object, FILE *out)
{
	static const char *const names[] = { "name", "debugName" };
	static const char *const paths[] = { "path", "debugPath" };
	char text[BUILD_ID_TEXT];

	fputs("{\"arch\":\"\",", out);
	for (int i = 0; i < 2; i++) {
		fprintf(out, "\"%s\":", names[i]);
		json_write_string(object->title, out);
		fprintf(out, ",\"%s\":", paths[i]);
		json_write_string(object->path, out);
		putc(',', out);
	}
	fputs("\"breakpadId\":", out);
	write_breakpad_id(&object->id, out);
	if (object->id.size)
		fprintf(out, ",\"codeId\":\"%s\"}", build_id_print(text, &object->id));
	else
		fputs(",\"codeId\":null}", out);
}

static void write_shared(struct firefox_common *common, FILE *out)
{
	fputs("\"libs\":[", out);
	for (size_t i = 0; i < common->libs.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		write_lib(lib_at(common, i), out);
	}
	fprintf(out, "],\n\"shared\":{\"sources\":{\"length\":%zu,\"uuid\":[",
		common->sources.count);
	for (size_t i = 0; i < common->sources.count; i++)
		fputs(i ? ",null" : "null", out);
	fputs("],\"filename\":[", out);
	for (size_t i = 0; i < common->sources.count; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "",
			string_table_number(&common->strings, common->sources.list[i]));
	fputs("]},\n\"stringArray\":[", out);
	for (size_t i = 0; i < common->strings.count; i++) {
		fputs(i ? ",\n" : "\n", out);
		json_write_string(common->strings.list[i], out);
	}
	fputs("]}", out);
}

int export_firefox(const struct export_source *source, FILE *out, struct err *err)
{
	uint32_t *order = export_in_order(source->profile, true);
	struct firefox_common common = { .profile = source->profile,
					 .function_sources = export_sources(source->profile) };
	int status = 0;

	if (!order || !common.function_sources)
		status = err_no_memory(err);
	if (!status) {
		putc('{', out);
		firefox_write_meta(source, out);
		fputs("\"threads\":[", out);
		status = write_threads(&common, order, out, err);
	}
	if (!status) {
		fputs("],\n", out);
		write_shared(&common, out);
		fputs("}\n", out);
	}
	if (!status && (common.failed || common.strings.failed || common.sources.failed))
		status = err_no_memory(err);
	free(order);
	free(common.function_sources);
	firefox_common_free(&common);
	return status;
}
