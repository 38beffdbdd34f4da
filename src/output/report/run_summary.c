/* SPDX-License-Identifier: MIT */
#include "run_summary.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "calls_table.h"
#include "output/table/printable.h"
#include "output/table/units.h"

/* Longer commands are cut for people. */
#define COMMAND_COLUMNS 100

static const char *command_of(const struct reader *reader, char *text)
{
	calls_table_join(text, reader->header.command, reader->header.command_size);
	return text;
}

uint64_t run_summary_wall_ns(const struct record_header *header)
{
	return header->ended.ns > header->started.ns ? header->ended.ns - header->started.ns : 0;
}

void run_summary_number(uint64_t count, const char *one, const char *many, FILE *out)
{
	char text[UNITS_BYTES];

	fprintf(out, "%s %s", units_count(text, count), count == 1 ? one : many);
}

void run_summary_count(const char *what, uint64_t count, FILE *out)
{
	char text[UNITS_BYTES];

	if (count)
		fprintf(out, "%s: %s\n", what, units_count(text, count));
}

void run_summary_write(const struct reader *reader, uint64_t processes, uint64_t threads, FILE *out)
{
	const struct record_header *header = &reader->header;
	char text[sizeof(header->command)], time[UNITS_BYTES];
	int status = (int)header->status;

	command_of(reader, text);
	printable_write_within(text, COMMAND_COLUMNS, out);
	fputs(": ", out);
	if (header->flags & RECORD_IMPORTED)
		fputs("imported", out);
	else if (!header->ended.ns)
		fputs("still running", out);
	else if (header->flags & RECORD_ATTACHED)
		fputs("attached while running", out);
	else if (WIFSIGNALED(status))
		fprintf(out, "killed by signal %d", WTERMSIG(status));
	else
		fprintf(out, "exit status %d", WEXITSTATUS(status));
	if (header->ended.ns)
		fprintf(out, ", %s", units_time(time, (double)run_summary_wall_ns(header)));
	fputs(", ", out);
	run_summary_number(processes, "process", "processes", out);
	fputs(", ", out);
	run_summary_number(threads, "thread", "threads", out);
	putc('\n', out);
}

struct word {
	uint32_t bit; /* of enum record_sandbox */
	const char *text;
};

/* Joins the texts of the bits that are set with ", ". */
static void join_words(const struct word *words, size_t count, uint32_t bits, char *text,
		       size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (bits & words[i].bit && length < size)
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length ? ", " : "", words[i].text);
}

const char *run_summary_sandbox(const struct record_header *header,
				char text[RUN_SUMMARY_SANDBOX_BYTES])
{
	static const struct word kinds[] = {
		{ RECORD_SANDBOX_SECCOMP, "seccomp" },
		{ RECORD_SANDBOX_LANDLOCK, "Landlock" },
		{ RECORD_SANDBOX_ROOT, "chroot" },
	};
	static const struct word losses[] = {
		{ RECORD_SANDBOX_ROOM, "growing the recording" },
		{ RECORD_SANDBOX_CLOCKS, "clocks for new threads and processes" },
		{ RECORD_SANDBOX_STACKS, "reading stacks" },
		{ RECORD_SANDBOX_MAPS, "looking up code that was loaded later" },
	};
	uint32_t bits = header->unreached.sandbox;
	char kind[RUN_SUMMARY_SANDBOX_BYTES / 4], lost[RUN_SUMMARY_SANDBOX_BYTES / 2];

	join_words(kinds, sizeof(kinds) / sizeof(kinds[0]), bits, kind, sizeof(kind));
	join_words(losses, sizeof(losses) / sizeof(losses[0]), bits, lost, sizeof(lost));
	if (!*lost)
		return NULL;
	snprintf(text, RUN_SUMMARY_SANDBOX_BYTES, "a sandbox of the program (%s) forbids %s",
		 *kind ? kind : "of an unknown kind", lost);
	return text;
}

void run_summary_write_damage(const struct reader *reader, FILE *out)
{
	const struct record_scarcity *scarcity = &reader->header.scarcity;
	const struct record_unreached *unreached = &reader->header.unreached;
	char text[UNITS_BYTES], sandbox[RUN_SUMMARY_SANDBOX_BYTES];

	if (run_summary_sandbox(&reader->header, sandbox))
		fprintf(out, "LOST: %s\n", sandbox);
	run_summary_count("LOST: processes without room in the recording", scarcity->processes,
			  out);
	if (scarcity->code)
		fprintf(out, "LOST: not everything had room in the recording: %s\n",
			strerror((int)scarcity->code));
	if (unreached->programs && unreached->code == ELIBACC)
		fprintf(out, "LOST: programs executed in an environment without dwell: %s\n",
			units_count(text, unreached->programs));
	else if (unreached->programs)
		fprintf(out, "LOST: programs that could not open the recording: %s: %s\n",
			units_count(text, unreached->programs), strerror((int)unreached->code));
	run_summary_count("DAMAGED: invalid records, ignored", reader->damaged, out);
	run_summary_count("DAMAGED: bytes missing at the end", reader->missing, out);
}

/* Adds a number, or null if it is unknown. */
static int add_known(struct table *table, const char *name, bool known, uint64_t value)
{
	return known ? table_add_meta_number(table, name, value)
		     : table_add_meta(table, name, NULL);
}

int run_summary_add_meta(struct table *table, const struct reader *reader,
			 const struct timescale *scale)
{
	const struct record_header *header = &reader->header;
	char text[sizeof(header->command)];
	int wait = (int)header->status, status;
	const char *clock = header->clock == RECORD_CLOCK_TICKS ? "ticks" : "ns";
	bool ended = header->ended.ns,
	     is_known = ended && !(header->flags & (RECORD_ATTACHED | RECORD_IMPORTED));

	status = table_add_meta(table, "command", command_of(reader, text));
	if (!status)
		status = add_known(table, "exit_status", is_known && WIFEXITED(wait),
				   (uint64_t)WEXITSTATUS(wait));
	if (!status)
		status = add_known(table, "signal", is_known && WIFSIGNALED(wait),
				   (uint64_t)WTERMSIG(wait));
	if (!status)
		status = add_known(table, "wall_ns", ended, run_summary_wall_ns(header));
	if (!status)
		status = table_add_meta_number(table, "started_unix_ns", header->started_unix_ns);
	if (!status)
		status = table_add_meta(table, "clock", scale->estimated ? "estimated" : clock);
	if (!status)
		status = table_add_meta_number(table, "lost_processes", header->scarcity.processes);
	if (!status)
		status = table_add_meta_number(table, "lost_programs", header->unreached.programs);
	return status;
}

int run_summary_add_numbers(struct table *table, const struct run_summary_pair *numbers,
			    size_t count)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++)
		status = table_add_meta_number(table, numbers[i].name, numbers[i].value);
	return status;
}
