/* SPDX-License-Identifier: MIT */
#include "opening.h"

#include <string.h>

#include "calls.h"
#include "choice.h"
#include "start.h"
#include "runtime/guard/sanitizer.h"
#include "runtime/process/link_maps.h"

/* Returns the file that this library was loaded from. */
static const char *own_path(void)
{
	static const char *path;
	const struct link_map *own = path ? NULL : link_maps_own();

	if (own)
		path = strdup(own->l_name);
	return path;
}

int opening(const char *data, int fd)
{
	int err = data ? choice_load(data) : choice_load_from(fd);

	if (!err)
		err = data ? room_attach(data) : room_attach_to(fd);
	return err ? err : start_process(own_path());
}

void opening_check_time(void)
{
	/* A timed call returns to a stub, which would appear in the sanitizer's stacks. */
	calls_state.is_timeless = calls_state.is_timeless || sanitizer_is_there();
}
