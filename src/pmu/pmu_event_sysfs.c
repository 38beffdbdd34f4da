/* SPDX-License-Identifier: MIT
 *
 * pmu_event_terms.c - events as a PMU describes them in sysfs:
 *
 *	PMU/type		the number for perf_event_open()
 *	PMU/format/FIELD	the bits of a field: "config:0-7,32-35"
 *	PMU/events/NAME		fields and their values: "event=0x3c,umask=0x1"; NAME.unit,
 *NAME.scale
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu_event.h"

#define LINE_BYTES 256

/* Reads the first line of a file of a PMU, without its end. */
static bool read_line(const char *sysfs, const char *pmu, const char *file, char line[LINE_BYTES])
{
	char path[4096];
	FILE *in;
	bool is_read;

	if (snprintf(path, sizeof(path), "%s/%s/%s", sysfs, pmu, file) >= (int)sizeof(path))
		return false;
	in = fopen(path, "re");
	if (!in)
		return false;
	is_read = fgets(line, LINE_BYTES, in);
	fclose(in);
	if (is_read)
		line[strcspn(line, "\n")] = '\0';
	return is_read;
}

/* A name becomes part of a path. */
static bool is_plain(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

static bool is_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Puts the low bits of a value into bits first to last of a word. Returns the other bits. */
static uint64_t put_bits(uint64_t *word, unsigned first, unsigned last, uint64_t value)
{
	unsigned width = last - first + 1;
	uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;

	*word = (*word & ~(mask << first)) | (value & mask) << first;
	return width < 64 ? value >> width : 0;
}

/* Puts a value into the bits that a format names. Returns 0, -EINVAL for a format that is not
 * understood, or -ERANGE if the value needs more bits. */
static int put_field(const char *format, uint64_t value, struct pmu_event *event)
{
	static const char *const words[] = { "config:", "config1:", "config2:" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = format + strlen(words[i]);

		if (strncmp(format, words[i], strlen(words[i])) != 0)
			continue;
		while (*at) {
			char *end;
			unsigned long first = strtoul(at, &end, 10), last = first;

			if (end == at)
				return -EINVAL;
			if (*end == '-')
				last = strtoul(end + 1, &end, 10);
			if (first > last || last > 63 || (*end && *end != ','))
				return -EINVAL;
			value = put_bits(&event->config[i], (unsigned)first, (unsigned)last, value);
			at = *end ? end + 1 : end;
		}
		return value ? -ERANGE : 0;
	}
	return -EINVAL;
}

static int put_terms(const char *pmu, char *terms, const char *sysfs, bool is_user,
		     struct pmu_event *event, struct err *err);

/* Sets what stands for a word without a value: an event that the PMU names, or a field of one bit.
 */
static int put_word(const char *pmu, const char *word, const char *sysfs, struct pmu_event *event,
		    struct err *err)
{
	char file[LINE_BYTES], terms[LINE_BYTES], scale[LINE_BYTES], unit[LINE_BYTES];

	snprintf(file, sizeof(file), "events/%s", word);
	if (!read_line(sysfs, pmu, file, terms))
		return -ENOENT;
	snprintf(file, sizeof(file), "events/%s.scale", word);
	if (read_line(sysfs, pmu, file, scale))
		event->scale = strtod(scale, NULL);
	snprintf(file, sizeof(file), "events/%s.unit", word);
	if (read_line(sysfs, pmu, file, unit))
		snprintf(event->unit, sizeof(event->unit), "%.*s", (int)sizeof(event->unit) - 1,
			 unit);
	return put_terms(pmu, terms, sysfs, false, event, err);
}

/* is_user: the user wrote it, so that it may be an event's name. */
static int put_term(const char *pmu, const char *term, const char *value, const char *sysfs,
		    bool is_user, struct pmu_event *event, struct err *err)
{
	char file[LINE_BYTES], format[LINE_BYTES];
	uint64_t number = 1;
	int status;

	if (!is_plain(term))
		return err_set(err, EINVAL, "'%s' is not a field or event of the PMU '%s'", term,
			       pmu);
	if (value && !is_number(value, &number))
		return err_set(err, EINVAL, "'%s' of the PMU '%s' needs a number, not '%s'", term,
			       pmu, value);
	if (!value && is_user) {
		status = put_word(pmu, term, sysfs, event, err);
		if (status != -ENOENT)
			return status;
	}
	if (!strcmp(term, "config")) {
		event->config[0] = number;
		return 0;
	}
	snprintf(file, sizeof(file), "format/%s", term);
	status = read_line(sysfs, pmu, file, format) ? put_field(format, number, event) : -ENOENT;
	if (status == -ERANGE)
		return err_set(err, EINVAL, "'%s' of the PMU '%s' has no room for %#llx", term, pmu,
			       (unsigned long long)number);
	return status ? err_set(err, EINVAL, "'%s' is not a field or event of the PMU '%s'", term,
				pmu)
		      : 0;
}

static int put_terms(const char *pmu, char *terms, const char *sysfs, bool is_user,
		     struct pmu_event *event, struct err *err)
{
	int status = 0;

	for (char *next, *term = strtok_r(terms, ",", &next); term && !status;
	     term = strtok_r(NULL, ",", &next)) {
		char *value = strchr(term, '=');

		if (value)
			*value++ = '\0';
		status = put_term(pmu, term, value, sysfs, is_user, event, err);
	}
	return status;
}

static bool read_type(const char *pmu, const char *sysfs, struct pmu_event *event)
{
	char line[LINE_BYTES];
	uint64_t type;

	if (!is_plain(pmu) || !read_line(sysfs, pmu, "type", line) || !is_number(line, &type))
		return false;
	event->type = (uint32_t)type;
	return true;
}

int pmu_event_terms(const char *pmu, const char *terms, const char *sysfs, struct pmu_event *event,
		    struct err *err)
{
	char copy[LINE_BYTES];

	if (!read_type(pmu, sysfs, event))
		return err_set(err, ENOENT, "there is no PMU '%s' on this machine", pmu);
	if (snprintf(copy, sizeof(copy), "%s", terms) >= (int)sizeof(copy))
		return err_set(err, EINVAL, "too many fields for the PMU '%s'", pmu);
	return put_terms(pmu, copy, sysfs, true, event, err);
}

int pmu_event_find(const char *name, const char *sysfs, struct pmu_event *event, struct err *err)
{
	DIR *folder = is_plain(name) ? opendir(sysfs) : NULL;
	struct dirent *entry;
	int status = -ENOENT;

	while (folder && status == -ENOENT && (entry = readdir(folder)))
		if (read_type(entry->d_name, sysfs, event))
			status = put_word(entry->d_name, name, sysfs, event, err);
	if (folder)
		closedir(folder);
	return status;
}
