/* SPDX-License-Identifier: MIT */
#include "sampling.h"

#include <stdlib.h>

#include "base/decimal.h"
#include "base/limits.h"
#include "cli/cmd.h"

int sampling_take_hz(uint32_t *hz, const char *verb, const char *value)
{
	uint64_t number;

	if (!decimal_parse(value, LIMIT_HZ, &number) || number == 0)
		return cmd_fail(verb, "invalid frequency '%s': must be 1 to %d samples per second",
				value, LIMIT_HZ);
	*hz = (uint32_t)number;
	return 0;
}

int sampling_take_seconds(double *seconds, const char *verb, const char *value)
{
	char *end;
	double number = strtod(value, &end);

	if (end == value || *end || !(number > 0 && number < 1e9))
		return cmd_fail(verb, "invalid duration '%s': must be a positive number of seconds",
				value);
	*seconds = number;
	return 0;
}

int sampling_take_pids(struct sampling_pids *pids, const char *verb, const char *value)
{
	uint64_t pid;

	for (const char *at = value;; at++) {
		if (!decimal_prefix(at, INT32_MAX, &pid, &at) || pid == 0 || (*at && *at != ','))
			return cmd_fail(verb, "invalid PID list '%s': must be PID[,PID...]", value);
		if (pids->count == SAMPLING_PIDS_MAX)
			return cmd_fail(verb, "too many processes in '%s': at most %d are allowed",
					value, SAMPLING_PIDS_MAX);
		pids->list[pids->count++] = (pid_t)pid;
		if (!*at)
			return 0;
	}
}
