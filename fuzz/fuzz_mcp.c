/* SPDX-License-Identifier: MIT
 *
 * fuzz_mcp.c - messages of foreign bytes to `dwell mcp`: a reply is one line, and what is run is a
 * verb that only reads, without an option that writes.
 */
#include <errno.h>

#include "fuzz.h"

#include "cli/mcp/mcp.h"

static bool is_reader(const char *verb)
{
	static const char *const verbs[] = { "report", "diff", "annotate", "info", "query" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i], verb) == 0)
			return true;
	return false;
}

static int run(char *const argv[], struct mcp_output *output)
{
	if (strcmp(argv[0], "dwell") != 0 || !is_reader(argv[1]))
		abort();
	for (char *const *at = argv + 2; *at && strcmp(*at, "--") != 0; at++)
		if (strncmp(*at, "-o", 2) == 0 || strncmp(*at, "--output", 8) == 0 ||
		    strncmp(*at, "--debuginfod", 12) == 0)
			abort();
	output->text = strdup(argv[1]);
	return output->text ? 0 : -ENOMEM;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *reply = mcp_reply((const char *)bytes, size, run);

	if (reply && strchr(reply, '\n'))
		abort();
	free(reply);
	return 0;
}
