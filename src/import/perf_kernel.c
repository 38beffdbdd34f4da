/* SPDX-License-Identifier: MIT */
#include "perf_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define KERNEL "[kernel.kallsyms]"

/* Returns true if the running kernel has this build-id. */
static bool is_running(const struct build_id *id)
{
	unsigned char notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	/* A number of 20 bytes is not there by chance. */
	return id->size && size > 0 && memmem(notes, (size_t)size, id->bytes, id->size);
}

/* Returns true if the running kernel has this release. */
static bool is_release(const char *release)
{
	struct utsname here;

	return release && uname(&here) == 0 && strcmp(release, here.release) == 0;
}

/* Returns where the names say that the kernel begins; 0: nowhere. */
static uint64_t text_of(const struct kallsyms *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->list[i].name, "_text") == 0)
			return names->list[i].start;
	return 0;
}

int perf_kernel_open(struct perf_kernel *kernel, const struct perf_file *perf, const char *cache,
		     uint64_t text_start)
{
	struct build_id id = perf_file_build_id(perf, KERNEL);
	char digits[BUILD_ID_TEXT], path[4096];
	int status = -ENOENT;
	uint64_t known;

	*kernel = (struct perf_kernel){ 0 };
	build_id_print(digits, &id);
	if (cache && id.size &&
	    snprintf(path, sizeof(path), "%s/" KERNEL "/%s/kallsyms", cache, digits) <
		    (int)sizeof(path))
		status = kallsyms_read(&kernel->names, path);
	if (status && status != -ENOMEM && (id.size ? is_running(&id) : is_release(perf->release)))
		status = kallsyms_read(&kernel->names, KALLSYMS_PATH);
	known = text_of(&kernel->names);
	/* perf record -z and pipes leave out build-ids: then the kernel is the running one if it is
	 * in the same place as well. Otherwise, a kernel may be elsewhere after each boot. */
	if (!id.size && known != text_start)
		kallsyms_free(&kernel->names);
	kernel->shift = known && text_start ? text_start - known : 0;
	return status == -ENOMEM ? status : 0;
}

void perf_kernel_free(struct perf_kernel *kernel)
{
	kallsyms_free(&kernel->names);
}

const char *perf_kernel_name(const struct perf_kernel *kernel, uint64_t address)
{
	uint64_t end;
	const struct kallsyms_function *function =
		kallsyms_find(&kernel->names, address - kernel->shift, &end);

	return function ? function->name : NULL;
}
