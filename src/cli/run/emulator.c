/* SPDX-License-Identifier: MIT */
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

#include "target.h"

static size_t count_words(const char *line)
{
	size_t count = 0;

	for (line += strspn(line, " "); *line; line += strspn(line, " ")) {
		line += strcspn(line, " ");
		count++;
	}
	return count;
}

static size_t count_command(char **command)
{
	size_t count = 0;

	while (command[count])
		count++;
	return count;
}

/* Builds the emulator's command line. The program is given by its path, because the emulator may
 * not search PATH. */
static int make_command(struct emulator *emulator, const char *line, char *program, char **command,
			struct err *err)
{
	char *rest, *word, **next;

	emulator->words = strdup(line);
	emulator->command =
		calloc(count_words(line) + count_command(command) + 1, sizeof(*emulator->command));
	if (!emulator->words || !emulator->command)
		return err_no_memory(err);
	next = emulator->command;
	rest = emulator->words;
	while ((word = strsep(&rest, " ")))
		if (*word)
			*next++ = word;
	*next++ = program;
	memcpy(next, command + 1, count_command(command) * sizeof(*command));
	return 0;
}

/* Rejects an emulator that libraries can be loaded into: it would load ours itself. */
static int check(const char *path, struct err *err)
{
	struct elf_program program;
	struct err ignored;

	if (target_check(path, false, &program, &ignored))
		return 0;
	return err_set(err, EINVAL,
		       "emulator '%s' is not statically linked: the libraries for the command "
		       "would be loaded into it",
		       path);
}

int emulator_open(struct emulator *emulator, const char *line, char *program, char **command,
		  struct err *err)
{
	int status;

	*emulator = (struct emulator){ 0 };
	if (!count_words(line))
		return err_set(err, EINVAL, "empty emulator command");
	status = make_command(emulator, line, program, command, err);
	if (!status)
		status = target_find(emulator->command[0], &emulator->path, err);
	if (!status)
		status = check(emulator->path, err);
	if (status)
		emulator_close(emulator);
	return status;
}

void emulator_close(struct emulator *emulator)
{
	free(emulator->path);
	free(emulator->command);
	free(emulator->words);
	*emulator = (struct emulator){ 0 };
}
