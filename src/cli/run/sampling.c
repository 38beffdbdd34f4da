/* SPDX-License-Identifier: MIT */
#include "sampling.h"

#include "base/decimal.h"
#include "base/limits.h"
#include "cli/cmd.h"

int sampling_take_hz(uint32_t *hz, const char *verb, const char *value)
{
	uint64_t number;

	if (!decimal_parse(value, LIMIT_HZ, &number) || number == 0)
		return cmd_fail(verb, "'%s' is no frequency: it is from 1 to %d samples a second",
				value, LIMIT_HZ);
	*hz = (uint32_t)number;
	return 0;
}

int sampling_take_pids(struct sampling_pids *pids, const char *verb, const char *value)
{
	uint64_t pid;

	for (const char *at = value;; at++) {
		if (!decimal_prefix(at, INT32_MAX, &pid, &at) || pid == 0 || (*at && *at != ','))
			return cmd_fail(verb, "'%s' is no list of processes", value);
		if (pids->count == SAMPLING_PIDS_MAX)
			return cmd_fail(verb, "there are more than %d processes in '%s'",
					SAMPLING_PIDS_MAX, value);
		pids->list[pids->count++] = (pid_t)pid;
		if (!*at)
			return 0;
	}
}
