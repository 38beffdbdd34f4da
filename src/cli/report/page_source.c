/* SPDX-License-Identifier: MIT */
#include "page_source.h"

#include "report_filter.h"
#include "report.h"

static int read_profile(struct page_opened *opened, struct page_wishes *wishes, struct err *err)
{
	int status;

	if (!profile_exists(&opened->reader))
		return 0;
	wishes->filter.keep_samples = true;
	wishes->filter.lines = !wishes->no_source;
	status = report_filter_read(&opened->profile, &opened->reader, &wishes->filter, err);
	if (!status)
		opened->source.profile = &opened->profile;
	return status;
}

/* Reads the calls, and their tree if there is one. */
static int read_calls(struct page_opened *opened, struct err *err)
{
	int status =
		calls_merge_sums(&opened->calls, &opened->reader, CALLS_BY_FUNCTION, NULL, err);

	opened->tree = (struct calls_tree){ 0 };
	if (status || !calls_tree_exists(&opened->reader))
		return status;
	status = calls_tree_make(&opened->tree, &opened->reader, 0, err);
	if (status)
		calls_free(&opened->calls);
	return status;
}

static void free_calls(struct page_opened *opened)
{
	calls_tree_free(&opened->tree);
	calls_free(&opened->calls);
}

int page_source_open(struct page_opened *opened, const char *path, struct page_wishes *wishes,
		     struct err *err)
{
	int status = reader_open(&opened->reader, path, err);

	if (status)
		return status;
	opened->source = (struct page_source){ .reader = &opened->reader,
					       .title = path,
					       .calls = &opened->calls,
					       .tree = &opened->tree,
					       .has_calls = report_has_calls(&opened->reader),
					       .has_inside = !wishes->no_source,
					       .folders = wishes->folders,
					       .long_names = wishes->long_names };
	if (reader_first(&opened->reader, RECORD_ANSWERS))
		opened->source.folders.nowhere_else = true;
	status = read_calls(opened, err);
	if (!status) {
		status = read_profile(opened, wishes, err);
		if (status)
			free_calls(opened);
	}
	if (status)
		reader_close(&opened->reader);
	return status;
}

void page_source_close(struct page_opened *opened)
{
	if (opened->source.profile)
		profile_free(&opened->profile);
	free_calls(opened);
	reader_close(&opened->reader);
}
