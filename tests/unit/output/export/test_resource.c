/* SPDX-License-Identifier: MIT */
#include "output/export/resource.h"

#include <stdlib.h>
#include <string.h>

#include "exported.h"

static const char *const variables[] = {
	"OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",          "POD_NAME",
	"K8S_POD_NAME",      "OTEL_RESOURCE_ATTRIBUTES_POD_NAME", "MY_POD_NAME"
};

/* Reads the resources of a recording, which is then freed. */
static int read_all(struct resources *resources, struct reader *reader, struct recording recording,
		    const char *label, struct err *err)
{
	struct label_list given = { 0 };
	int status;

	if (label && label_list_add(&given, label, err))
		bail_out(err->text);
	if (reader_open(reader, recording_file(&recording, recording.size), err))
		bail_out(err->text);
	status = resources_read(resources, reader, &given, err);
	label_list_free(&given);
	recording_free(&recording);
	return status;
}

/* Returns whether an attribute of a run has this value; NULL: none. */
static bool has(const struct resources *resources, size_t run, const char *key, const char *value)
{
	const char *found = label_list_find(&resources->list[run].attributes, key);
	bool is = value ? found && strcmp(found, value) == 0 : !found;

	if (!is)
		note("%s is %s", key, found ? found : "missing");
	return is;
}

static void sources(void)
{
	struct resources resources;
	struct reader reader;
	struct err err;

	setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=b,team=x%2Cy,env=c", 1);
	setenv("POD_NAME", "pod", 1);
	setenv("MY_POD_NAME", "later", 1);
	if (read_all(&resources, &reader, exported_recording(), "env=mine", &err))
		bail_out(err.text);
	ok(resources.count == 1, "a recording of one run");
	ok(has(&resources, 0, "env", "mine") && has(&resources, 0, "team", "x,y") &&
		   has(&resources, 0, "service.name", "b"),
	   "the user's labels come first, then OpenTelemetry's variable");
	ok(has(&resources, 0, "k8s.pod.name", "pod"), "a pod's name");
	ok(has(&resources, 0, "process.executable.path", "/gone/prog") &&
		   has(&resources, 0, RESOURCE_BUILD_ID,
		       "ab00000000000000000000000000000000000000"),
	   "the program");
	resources_free(&resources);
	reader_close(&reader);
	setenv("OTEL_SERVICE_NAME", "a", 1);
	if (read_all(&resources, &reader, exported_recording(), "service=z", &err))
		bail_out(err.text);
	ok(has(&resources, 0, "service.name", "z") && has(&resources, 0, "service", NULL),
	   "a label by its short name");
	resources_free(&resources);
	reader_close(&reader);
	setenv("OTEL_RESOURCE_ATTRIBUTES", "a=1,nonsense", 1);
	ok(read_all(&resources, &reader, exported_recording(), NULL, &err) == -EINVAL,
	   "a wrong variable: %s", err.text);
	reader_close(&reader);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
}

static void numbers(void)
{
	struct resources once, twice;
	struct reader reader;
	struct err err;
	struct recording recording = exported_recording();
	uint8_t id[RESOURCE_ID_BYTES], part[RESOURCE_ID_BYTES], other[RESOURCE_ID_BYTES];
	char text[RESOURCE_ID_TEXT];

	if (read_all(&once, &reader, exported_recording(), NULL, &err))
		bail_out(err.text);
	resource_header_id(&reader.header, id);
	ok(memcmp(id, once.id, sizeof(id)) == 0, "the header is enough for a number");
	resource_derive_id(&once, 0, 1, part);
	resource_derive_id(&once, 0, 2, other);
	ok(memcmp(id, part, sizeof(id)) != 0 && memcmp(part, other, sizeof(id)) != 0,
	   "its parts have others");
	resource_mark_incomplete(&once, &reader);
	ok(memcmp(id, once.id, sizeof(id)) != 0, "and so has a part of a recording");
	resource_print_id(id, text);
	ok(strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32, "it is printed: %s", text);
	resources_free(&once);
	reader_close(&reader);
	recording_header(&recording)->started_unix_ns++;
	if (read_all(&twice, &reader, recording, NULL, &err))
		bail_out(err.text);
	ok(memcmp(id, twice.id, sizeof(id)) != 0, "another run has another one");
	resources_free(&twice);
	reader_close(&reader);
}

static void runs(void)
{
	struct recording recording = exported_recording();
	uint64_t setup = recording_run(&recording, "b", "1");
	uint64_t process = recording_process(&recording, 50, 0);
	const struct record_process *head;
	struct resources resources;
	struct reader reader;
	struct err err;

	recording_belongs(&recording, process, setup);
	if (read_all(&resources, &reader, recording, "env=x", &err))
		bail_out(err.text);
	head = reader_process(reader_segment_at(&reader, process));
	ok(resources.count == 2 && has(&resources, 1, "host.name", "b") &&
		   has(&resources, 1, "rank", "1") && has(&resources, 0, "rank", NULL),
	   "each run has its own labels");
	ok(resources_of(&resources, &reader, process) == 1 &&
		   resources_of_process(&resources, head) == 1 &&
		   resources_of(&resources, &reader, 12345) == 0,
	   "and its own processes");
	ok(resources_agree(&resources, "env") && !resources_agree(&resources, "rank") &&
		   !resources_agree(&resources, "nothing"),
	   "they agree on some");
	resources_free(&resources);
	reader_close(&reader);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		unsetenv(variables[i]);
	sources();
	numbers();
	runs();
	return tap_done();
}
