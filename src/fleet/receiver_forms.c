/* SPDX-License-Identifier: MIT */
#include "receiver_forms.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/export/export_common.h"
#include "output/export/gzip.h"
#include "output/table/json.h"

int receiver_body_otlp(const struct export_source *source, FILE *out, struct err *err)
{
	char *plain = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&plain, &size);
	struct gzip *gzip = memory ? gzip_open(out) : NULL;
	int status = gzip ? export_otlp(source, memory, err) : err_no_memory(err);

	if (memory && fclose(memory) && !status)
		status = err_no_memory(err);
	if (gzip && !status)
		gzip_write(gzip, plain, size);
	if (gzip)
		gzip_close(gzip);
	free(plain);
	return status;
}

/* Writes bytes as base64 (RFC 4648). */
static void write_base64(const unsigned char *bytes, size_t size, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		unsigned long three = (unsigned long)bytes[i] << 16;

		three |= i + 1 < size ? (unsigned long)bytes[i + 1] << 8 : 0;
		three |= i + 2 < size ? bytes[i + 2] : 0;
		fputc(digits[three >> 18 & 63], out);
		fputc(digits[three >> 12 & 63], out);
		fputc(i + 1 < size ? digits[three >> 6 & 63] : '=', out);
		fputc(i + 2 < size ? digits[three & 63] : '=', out);
	}
}

/* Writes a key as names of labels may be in Prometheus and its kin: service_name. */
static void write_label_name(const char *key, FILE *out)
{
	if (isdigit((unsigned char)*key))
		fputc('_', out);
	for (; *key; key++)
		fputc(isalnum((unsigned char)*key) ? *key : '_', out);
}

static void write_parca_label(const char *key, const char *value, FILE *out)
{
	fputs("{\"name\":\"", out);
	write_label_name(key, out);
	fputs("\",\"value\":", out);
	json_write_string(value, out);
	fputc('}', out);
}

int receiver_body_parca(const struct export_source *source, FILE *out, struct err *err)
{
	const struct resource *first = &source->resources->list[0];
	char *profile = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&profile, &size);
	int status = memory ? export_pprof(source, memory, err) : err_no_memory(err);

	if (memory && fclose(memory) && !status)
		status = err_no_memory(err);
	if (!status) {
		fputs("{\"series\":[{\"labels\":{\"labels\":[", out);
		/* The kind of profile, as Parca calls those of CPUs. */
		fputs("{\"name\":\"__name__\",\"value\":\"process_cpu\"}", out);
		for (size_t i = 0; i < first->attributes.count; i++) {
			const struct label *label = &first->attributes.labels[i];

			if (!resources_agree(source->resources, label->key))
				continue;
			fputc(',', out);
			write_parca_label(label->key, label->value, out);
		}
		fputs("]},\"samples\":[{\"rawProfile\":\"", out);
		write_base64((unsigned char *)profile, size, out);
		fputs("\"}]}],\"normalized\":false}", out);
	}
	free(profile);
	return status;
}

/* Writes a text for a URL: everything but letters, digits and "-._~" as %XX. */
static void write_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || strchr("-._~", *text))
			fputc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
	}
}

int receiver_query_labels(const struct export_source *source, FILE *out, struct err *err)
{
	const struct resource *first = &source->resources->list[0];
	const char *separator = "";

	(void)err;
	for (size_t i = 0; i < first->attributes.count; i++) {
		const struct label *label = &first->attributes.labels[i];

		if (!resources_agree(source->resources, label->key))
			continue;
		fputs(separator, out);
		write_escaped(label->key, out);
		fputc('=', out);
		write_escaped(label->value, out);
		separator = "&";
	}
	return 0;
}

/* Writes the name of a service, in which Pyroscope accepts few characters. */
static void write_service(const char *service, FILE *out)
{
	for (; *service; service++)
		fputc(isalnum((unsigned char)*service) || strchr("-._/", *service) ? *service : '_',
		      out);
}

/* Writes a label's value. In Pyroscope's syntax nothing can quote what ends a value, nor a control
 * character. */
static void write_pyroscope_value(const char *value, FILE *out)
{
	for (; *value; value++)
		fputc(iscntrl((unsigned char)*value) || strchr(",{}=", *value) ? '_' : *value, out);
}

/* Writes SERVICE{key=value,...}. */
static void write_pyroscope_name(const struct resources *resources, FILE *out)
{
	const struct resource *first = &resources->list[0];
	const char *service = label_list_find(&first->attributes, RESOURCE_SERVICE);
	const char *separator = "";

	write_service(service ? service : "unknown_service", out);
	fputc('{', out);
	for (size_t i = 0; i < first->attributes.count; i++) {
		const struct label *label = &first->attributes.labels[i];

		if (strcmp(label->key, RESOURCE_SERVICE) == 0 ||
		    !resources_agree(resources, label->key))
			continue;
		fputs(separator, out);
		write_label_name(label->key, out);
		fputc('=', out);
		write_pyroscope_value(label->value, out);
		separator = ",";
	}
	fputc('}', out);
}

int receiver_query_pyroscope(const struct export_source *source, FILE *out, struct err *err)
{
	uint64_t from = export_started_unix_ns(source);
	uint64_t until = from + export_duration_ns(source);
	char *name = NULL;
	size_t size;
	FILE *memory = open_memstream(&name, &size);

	if (!memory)
		return err_no_memory(err);
	write_pyroscope_name(source->resources, memory);
	if (fclose(memory)) {
		free(name);
		return err_no_memory(err);
	}
	fputs("format=pprof&spyName=dwell&name=", out);
	write_escaped(name, out);
	/* Whole seconds; a run within one of them has a length nevertheless. */
	fprintf(out, "&from=%" PRIu64 "&until=%" PRIu64, from / 1000000000,
		(until + 999999999) / 1000000000);
	if (source->profile && source->profile->totals.hz)
		fprintf(out, "&sampleRate=%" PRIu64, source->profile->totals.hz);
	free(name);
	return 0;
}
