/* SPDX-License-Identifier: MIT
 *
 * preloaded.c - the constructor of libdwell-record.so, which the linker calls before those of other
 * objects (-z initfirst).
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "begin.h"
#include "recording/write/room.h"
#include "runtime/process/environment.h"
#include "runtime/process/instant.h"

/* Opens the recording that the environment names. */
static int attach(char **environment)
{
	/* Programs overwrite their environment, and malloc() may not be ready. */
	static char path[PATH_MAX];
	const char *data = environment_order(environment, "DWELL_DATA");
	int err;

	if (!data || strlen(data) >= sizeof(path))
		return -ENOENT;
	strcpy(path, data);
	err = room_attach(path);
	if (!err)
		instant_begin(room_header());
	return err;
}

static void begin(int argc, char **argv, char **argument)
{
	char **environment = environment_at_start(argument);
	int saved = errno;

	(void)argc;
	(void)argv;
	if (attach(environment) == 0)
		begin_process(environment, NULL);
	errno = saved;
}
ENVIRONMENT_CONSTRUCTOR(begin);
