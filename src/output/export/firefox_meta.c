/* SPDX-License-Identifier: MIT */
#include "firefox_meta.h"

#include <inttypes.h>

#include "export_common.h"
#include "output/table/json.h"
#include "output/table/language.h"

#define PROCESSED_VERSION 58
#define GECKO_VERSION     31

void firefox_write_ms(uint64_t ns, FILE *out)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

/* Writes a category for native code, then one for each language, by its number. */
static void write_categories(FILE *out)
{
	const struct language *language;

	fputs("{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}", out);
	for (uint32_t i = 1; (language = language_at(i)); i++)
		fprintf(out, ",\n{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			language->name ? language->name : "JIT",
			language->name ? language->category_color : "grey");
}

void firefox_write_meta(const struct export_source *source, FILE *out)
{
	const struct record_header *header = &source->reader->header;
	uint64_t period = source->profile->totals.event ? 0 : export_period(source);

	fputs("\"meta\":{\"interval\":", out);
	firefox_write_ms(period ? period : 1000000, out);
	fputs(",\"startTime\":", out);
	firefox_write_ms(header->started_unix_ns, out);
	fputs(",\"product\":", out);
	json_write_string(header->command, out);
	fprintf(out,
		",\"importedFrom\":\"dwell\",\"processType\":0,\"stackwalk\":1,\"debug\":false,\n"
		"\"version\":%d,\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\n"
		"\"categories\":[",
		GECKO_VERSION, PROCESSED_VERSION);
	write_categories(out);
	fprintf(out,
		"],\n\"markerSchema\":[],\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\n"
		"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}}"
		","
		"\n");
}
