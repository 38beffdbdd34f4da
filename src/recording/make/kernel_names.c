/* SPDX-License-Identifier: MIT */
#include "kernel_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "recording/read/kallsyms.h"

static int put(struct item_list *items, const struct kallsyms_function *function, uint64_t end)
{
	const char *object = function->module ? function->module : "[kernel]";
	size_t name = strlen(function->name) + 1, path = strlen(object) + 1;
	struct record_script *item =
		item_list_add(items, RECORD_SCRIPT, sizeof(*item) + name + path);

	if (!item)
		return -ENOMEM;
	item->start = function->start & ~RECORD_KERNEL_BIT;
	item->end = end;
	item->language = RECORD_KERNEL;
	memcpy(item->text, function->name, name);
	memcpy(item->text + name, object, path);
	return 0;
}

/* Adds each function of the kernel that has one of the addresses. Returns their number or -ENOMEM.
 */
static int put_all(struct item_list *items, const struct names_pcs *pcs,
		   const struct kallsyms *kallsyms)
{
	uint64_t known = 0; /* the end of the last one */
	int count = 0;

	for (size_t i = 0; i < pcs->count; i++) {
		const struct kallsyms_function *function;
		uint64_t end;

		if (pcs->list[i] < RECORD_KERNEL_START || pcs->list[i] >= RECORD_KERNEL_END ||
		    pcs->list[i] < known)
			continue;
		function = kallsyms_find(kallsyms, pcs->list[i] | RECORD_KERNEL_BIT, &end);
		end &= ~RECORD_KERNEL_BIT;
		if (!function || end > RECORD_KERNEL_END)
			continue;
		if (put(items, function, end))
			return -ENOMEM;
		count++;
		known = end;
	}
	return count;
}

static bool has_kernel(const struct names_pcs *pcs)
{
	return pcs->count && pcs->list[pcs->count - 1] >= RECORD_KERNEL_START;
}

/* Adds those of one process; the list of all is read when the first is needed. */
static int import_process(const struct creation *creation, const struct reader *reader,
			  uint64_t process, const char *path, struct kallsyms *kallsyms)
{
	struct names_pcs pcs = { 0 };
	struct item_list items = { 0 };
	int status = names_find_pcs(&pcs, reader, process), count = 0;

	if (!status && has_kernel(&pcs)) {
		if (!kallsyms->count)
			status = kallsyms_read(kallsyms, path);
		if (!status)
			count = put_all(&items, &pcs, kallsyms);
		if (count > 0)
			status = names_write(creation, process, &items);
	}
	free(pcs.list);
	free(items.bytes);
	return status ? status : count;
}

int kernel_names_import(const struct creation *creation, const struct reader *reader,
			const char *path)
{
	struct kallsyms kallsyms = { 0 };
	int count = 0, status = 0;

	if (!(reader->header.flags & RECORD_KERNEL_STACKS))
		return 0;
	for (size_t i = 0; i < reader->count && status >= 0; i++) {
		if (reader->segments[i].kind != RECORD_PROCESS)
			continue;
		status = import_process(creation, reader, reader->segments[i].offset, path,
					&kallsyms);
		count += status > 0 ? status : 0;
	}
	kallsyms_free(&kallsyms);
	return status < 0 ? status : count;
}
