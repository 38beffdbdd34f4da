/* SPDX-License-Identifier: MIT
 *
 * test_profile_scripts.c - functions of scripts in stacks: in place of the native frames that run
 * them, not at all, or alone; in children of fork(); and in damaged recordings.
 */
#include "../../recordings.h"
#include "model/profile/profile.h"

enum { PARENT = 42, CHILD = 43 };

static void names_of(const struct profile *profile, uint32_t pid, char *text, size_t size)
{
	*text = '\0';
	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];

		if (profile->threads[stack->thread].tid != pid)
			continue;
		for (uint32_t place = 0; place < stack->depth; place++) {
			uint32_t function = profile_function(profile, stack, place);

			snprintf(text + strlen(text), size - strlen(text), "%s ",
				 profile->functions.list[function].name);
		}
	}
}

static void check(const char *path, enum profile_scripts scripts, uint32_t pid,
		  const char *expected, const char *what)
{
	struct profile_filter filter = { .scripts = scripts, .lines = true };
	struct profile profile;
	struct reader reader;
	char names[512];
	struct err err;

	if (reader_open(&reader, path, &err) || profile_read(&profile, &reader, &filter, &err))
		bail_out(err.text);
	names_of(&profile, pid, names, sizeof(names));
	ok(strcmp(names, expected) == 0, "%s: %s", what, names);
	profile_free(&profile);
	reader_close(&reader);
}

/* Checks the line and the file of a function's frame. */
static void lines(const char *path)
{
	struct profile_filter filter = { .lines = true };
	const struct frame *found = NULL;
	struct profile profile;
	struct reader reader;
	struct err err;

	if (reader_open(&reader, path, &err) || profile_read(&profile, &reader, &filter, &err))
		bail_out(err.text);
	for (size_t i = 0; i < profile.resolver.count; i++) {
		const struct frame *frame = profile_frame(&profile, (uint32_t)i);

		if (strcmp(profile.functions.list[frame->function].name, "work") == 0)
			found = frame;
	}
	ok(found && found->line == 3 && found->source &&
		   strcmp(found->source, "/tmp/app.py") == 0 &&
		   strcmp(profile.functions.list[found->function].object, "app.py") == 0,
	   "a frame has the file and the line of its instruction");
	profile_free(&profile);
	reader_close(&reader);
}

/* Counts items that the reader leaves out. */
static size_t damaged(struct recording *recording)
{
	struct reader reader;
	struct err err;
	size_t count;

	if (reader_open(&reader, recording_file(recording, recording->size), &err))
		bail_out(err.text);
	count = reader.damaged;
	reader_close(&reader);
	return count;
}

static void damage(void)
{
	struct recording recording = recording_new(0);
	struct record_script *script;

	recording_process(&recording, PARENT, 0);
	script = recording_script(&recording, 0, RECORDINGS_SCRIPT, "main", "app.py", 1);
	ok(damaged(&recording) == 0, "a script is valid");
	script->table_bytes = 64;
	ok(damaged(&recording) == 1, "not with a table that is longer than the item");
	script->table_bytes = 4;
	script->end = script->start;
	ok(damaged(&recording) == 1, "nor without instructions");
	script->end = script->start + 2;
	script->start = 0x1000;
	ok(damaged(&recording) == 1, "nor where programs have their code");
	script->end = 0x2000;
	script->language = RECORD_MADE;
	ok(damaged(&recording) == 0, "unless it is compiled");
	script->end = RECORD_SCRIPTS_START + 1;
	ok(damaged(&recording) == 1, "which has no code beyond that of programs");
	script->language = RECORD_PYTHON;
	script->end = RECORDINGS_SCRIPT + 2;
	script->start = RECORDINGS_SCRIPT;
	memset(script->text, 'x', script->item.size - sizeof(*script));
	ok(damaged(&recording) == 1, "nor with a name that does not end");
	recording_free(&recording);
}

int main(void)
{
	struct recording recording = recordings_scripts();
	const char *path = recording_file(&recording, recording.size);

	check(path, PROFILE_SCRIPTS_MERGED, PARENT, "[unknown] work main [unknown] ",
	      "functions are in place of the native frame that runs them");
	check(path, PROFILE_SCRIPTS_NONE, PARENT, "[unknown] [unknown] [unknown] ",
	      "native frames alone");
	check(path, PROFILE_SCRIPTS_ALONE, PARENT, "work main ", "functions of scripts alone");
	check(path, PROFILE_SCRIPTS_ALONE, CHILD, "other main ",
	      "a child has its parent's functions, and its own");
	lines(path);
	recording_free(&recording);
	damage();
	return tap_done();
}
