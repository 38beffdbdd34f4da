/* SPDX-License-Identifier: MIT */
#include "event_columns.h"

static const char *const names[][2] = {
	{ "self_ns", "self_events" },
	{ "total_ns", "total_events" },
	{ "samples_ns", "samples_events" },
	{ "old_self_ns", "old_self_events" },
	{ "new_self_ns", "new_self_events" },
	{ "self_change_ns", "self_change_events" },
	{ "old_total_ns", "old_total_events" },
	{ "new_total_ns", "new_total_events" },
	{ "total_change_ns", "total_change_events" },
	{ "min_ns", "min_events" },
	{ "mean_ns", "mean_events" },
	{ "max_ns", "max_events" },
	{ "saved_ns", "saved_events" },
	{ "old_mean_ns", "old_mean_events" },
	{ "new_mean_ns", "new_mean_events" },
	{ "sampled_self_ns", "sampled_self_events" },
};

void event_columns_rename(struct table *table)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		table_rename(table, names[i][0], names[i][1]);
}

int event_columns_name(struct table *table, const char *event, bool human, struct err *err)
{
	static const char *const amounts[] = { "total",     "self",      "sampled",  "mean",
					       "old total", "new total", "old mean", "new mean" };
	int status = 0;

	if (!human)
		event_columns_rename(table);
	for (size_t i = 0; human && !status && i < sizeof(amounts) / sizeof(amounts[0]); i++)
		status = table_rename_with(table, amounts[i], event);
	if (!status)
		return 0;
	table_fini(table);
	return err_no_memory(err);
}
