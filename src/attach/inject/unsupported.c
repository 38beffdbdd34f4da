/* SPDX-License-Identifier: MIT
 *
 * unsupported.c - inject.h on CPUs without arch/NAME/tracee.h.
 */
#include "attach/inject/inject.h"

int inject_check(pid_t pid, const char *library, struct err *err)
{
	(void)library;
	return err_set(
		err, ENOTSUP,
		"cannot count calls in process %d: on this CPU, dwell calls has to start the "
		"program",
		(int)pid);
}

int inject_free(pid_t pid, const char *library, struct err *err)
{
	return inject_check(pid, library, err);
}

int inject_begin(pid_t pid, const char *library, int recording, struct calls_entry *entry,
		 struct err *err)
{
	(void)recording;
	*entry = (struct calls_entry){ 0 };
	return inject_check(pid, library, err);
}

int inject_end(pid_t pid, const char *library, struct err *err)
{
	return inject_check(pid, library, err);
}
