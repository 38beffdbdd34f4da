/* SPDX-License-Identifier: MIT
 *
 * test_report_notes.c - reasons for incomplete recordings: a full disk, or a recording that a
 * process could not open.
 */
#include "../../recordings.h"
#include "cli/report/report.h"

static void says(int code, const char *words)
{
	struct recording recording = recordings_samples();
	FILE *errors = stderr;
	struct reader reader;
	char *said = NULL;
	size_t size;
	struct err err;

	recording_header(&recording)->scarcity.code = (uint32_t)code;
	if (reader_open(&reader, recording_file(&recording, recording.size), &err))
		bail_out(err.text);
	stderr = open_memstream(&said, &size);
	report_note_scarce(&reader, "record", "DATA");
	fclose(stderr);
	stderr = errors;
	if (!ok(strstr(said, words), "%s", words))
		note("%s", said);
	free(said);
	reader_close(&reader);
	recording_free(&recording);
}

int main(void)
{
	says(ENOSPC, "because there was no room in 'DATA': No space left on device");
	says(EFBIG, "because there was no room in 'DATA': File too large");
	says(ESRCH, "because a process could not open 'DATA': No such process");
	says(ENOENT, "because a process could not open 'DATA': No such file or directory");
	says(EACCES, "because a process could not open 'DATA': Permission denied");
	return tap_done();
}
