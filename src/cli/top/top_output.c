/* SPDX-License-Identifier: MIT */
#include "top_output.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PIPE_BYTES (1 << 20) /* so that a command that writes a lot does not wait for us */

int top_output_open(struct top_output *output, const char *log, struct err *err)
{
	int ends[2];

	*output = (struct top_output){ .read_end = -1, .write_end = -1, .log = log };
	if (log) {
		output->write_end = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		return output->write_end < 0
			       ? err_set(err, errno, "cannot write '%s': %s", log, strerror(errno))
			       : 0;
	}
	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
	output->read_end = ends[0];
	output->write_end = ends[1];
	return 0;
}

void top_output_close(struct top_output *output)
{
	if (output->read_end >= 0)
		close(output->read_end);
	if (output->write_end >= 0)
		close(output->write_end);
	output->read_end = output->write_end = -1;
}

int top_output_take(const struct top_output *output, bool keeps_input)
{
	int input = keeps_input ? STDIN_FILENO : open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (input < 0 || (!keeps_input && dup2(input, STDIN_FILENO) < 0) ||
	    dup2(output->write_end, STDOUT_FILENO) < 0 ||
	    dup2(output->write_end, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

/* Makes room by dropping the older half. */
static void make_room(struct top_output *output)
{
	size_t half = TOP_OUTPUT_BYTES / 2;

	if (output->size < TOP_OUTPUT_BYTES)
		return;
	output->size -= half;
	memmove(output->bytes, output->bytes + half, output->size);
}

void top_output_read(struct top_output *output)
{
	ssize_t more = 1;

	/* Reads a limited amount: a command may write faster than we read. */
	for (int i = 0; i < 64 && more > 0 && output->read_end >= 0; i++) {
		make_room(output);
		more = read(output->read_end, output->bytes + output->size,
			    TOP_OUTPUT_BYTES - output->size);
		if (more > 0)
			output->size += (size_t)more;
	}
	output->bytes[output->size] = '\0';
}

const char *top_output_line(const struct top_output *output, size_t from_end, size_t *length)
{
	const char *start = output->bytes, *end = start + output->size;

	if (end > start && end[-1] == '\n')
		end--;
	for (;; from_end--) {
		const char *line =
			end == start ? NULL : memrchr(start, '\n', (size_t)(end - start));

		line = line ? line + 1 : start;
		*length = (size_t)(end - line);
		if (from_end == 0)
			return output->size ? line : NULL;
		if (line == start)
			return NULL;
		end = line - 1;
	}
}
