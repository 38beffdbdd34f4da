/* SPDX-License-Identifier: MIT */
#include "attach/inject/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE        4096
#define CHANGES_MAX (4u << 20)
#define STACK_WORDS 32768 /* of a stack that are searched */

static int compare(const void *a, const void *b)
{
	const struct injected_change *one = a, *other = b;

	return (one->address > other->address) - (one->address < other->address);
}

/* Returns whether a change is such as the runtime makes: the list is the process's memory. */
static bool is_valid(const struct injected_change *change)
{
	return change->size && change->size <= INJECTED_CHANGE &&
	       change->address / PAGE == (change->address + change->size - 1) / PAGE;
}

int changes_read(struct changes *changes, pid_t pid, const struct injected *block)
{
	size_t count = block->change_count;

	*changes = (struct changes){ .pid = pid };
	if (count > CHANGES_MAX)
		return -EINVAL;
	changes->list = calloc(count + 1, sizeof(*changes->list));
	changes->is_made = calloc(count + 1, sizeof(*changes->is_made));
	if (!changes->list || !changes->is_made)
		return -ENOMEM;
	if (count && remote_get(pid, block->changes, changes->list, count * sizeof(*changes->list)))
		return -EFAULT;
	for (size_t i = 0; i < count; i++)
		if (!is_valid(&changes->list[i]))
			return -EINVAL;
	qsort(changes->list, count, sizeof(*changes->list), compare);
	changes->count = count;
	return 0;
}

void changes_free(struct changes *changes)
{
	free(changes->list);
	free(changes->is_made);
	*changes = (struct changes){ 0 };
}

/* ---- threads ---- */

/* Returns the change that begins before the address and ends behind it; -1: none. */
static ssize_t change_around(const struct changes *changes, uint64_t address)
{
	size_t low = 0, high = changes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (changes->list[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - changes->list[low - 1].address >= changes->list[low - 1].size)
		return -1;
	return (ssize_t)low - 1;
}

/* Marks the bytes that a thread will continue in: now, or after signal handlers, whose frames
 * contain the address. Return addresses are never there, see arch_entry_plan(), and other words of
 * a stack may only look like one. */
static void mark_thread(const struct changes *changes, const struct remote *remote, bool *is_used)
{
	const struct user_regs_struct *registers = &remote->before.registers;
	static uint64_t words[STACK_WORDS];
	struct iovec from = { (void *)arch_remote_sp(registers), sizeof(words) };
	struct iovec to = { words, sizeof(words) };
	ssize_t got = process_vm_readv(remote->pid, &to, 1, &from, 1, 0);
	ssize_t found = change_around(changes, arch_remote_pc(registers));

	if (found >= 0)
		is_used[found] = true;
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*words); i++) {
		found = change_around(changes, words[i]);
		if (found >= 0)
			is_used[found] = true;
	}
}

/* Marks those with code that borrowed threads need. */
static void mark_code(const struct changes *changes, bool *is_used)
{
	const struct remote_code *code = &changes->code;

	for (size_t i = 0; i < changes->count; i++) {
		uint64_t start = changes->list[i].address, end = start + changes->list[i].size;

		if ((start < code->syscall + ARCH_REMOTE_SYSCALL_BYTES && code->syscall < end) ||
		    (start < code->sigreturn + ARCH_SIGNAL_RETURN_BYTES && code->sigreturn < end))
			is_used[i] = true;
	}
}

/* ---- memory ---- */

static int open_memory(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* One page, in which a group of changes is. */
struct page {
	const struct injected_change *first;
	size_t count;
	uint64_t start;
	size_t size;
	uint8_t bytes[PAGE];
};

static bool read_page(struct page *page, int memory)
{
	const struct injected_change *last = &page->first[page->count - 1];

	page->start = page->first->address;
	page->size = last->address + last->size - page->start;
	return pread(memory, page->bytes, page->size, (off_t)page->start) == (ssize_t)page->size;
}

static int write_page(const struct page *page, int memory)
{
	ssize_t written = pwrite(memory, page->bytes, page->size, (off_t)page->start);

	if (written < 0)
		return -errno;
	return written == (ssize_t)page->size ? 0 : -EIO;
}

/* Returns the changes from i on that are in one page. */
static struct page page_of(const struct changes *changes, size_t i)
{
	struct page page = { .first = &changes->list[i], .count = 1 };

	while (i + page.count < changes->count &&
	       changes->list[i + page.count].address / PAGE == changes->list[i].address / PAGE)
		page.count++;
	return page;
}

static int make_page(struct changes *changes, struct page *page, const bool *is_used, int memory)
{
	size_t base = (size_t)(page->first - changes->list), made = 0;
	int err;

	if (!read_page(page, memory))
		return 0;
	for (size_t i = 0; i < page->count; i++) {
		const struct injected_change *change = &page->first[i];
		uint8_t *at = page->bytes + (change->address - page->start);

		if (is_used[base + i] || changes->is_made[base + i] ||
		    memcmp(at, change->before, change->size) != 0)
			continue;
		memcpy(at, change->after, change->size);
		made++;
	}
	err = made ? write_page(page, memory) : 0;
	for (size_t i = 0; i < page->count && !err; i++)
		changes->is_made[base + i] =
			memcmp(page->bytes + (page->first[i].address - page->start),
			       page->first[i].after, page->first[i].size) == 0;
	return err;
}

int changes_make(struct changes *changes, const struct crew *crew, size_t *left)
{
	bool *is_used = calloc(changes->count + 1, sizeof(*is_used));
	int memory = open_memory(changes->pid), err = memory < 0 ? memory : 0;

	if (!is_used)
		err = -ENOMEM;
	for (size_t i = 0; i < crew->count && !err; i++)
		mark_thread(changes, &crew->threads[i], is_used);
	if (!err)
		mark_code(changes, is_used);
	for (size_t i = 0; i < changes->count && !err;) {
		struct page page = page_of(changes, i);

		err = make_page(changes, &page, is_used, memory);
		i += page.count;
	}
	*left = 0;
	for (size_t i = 0; i < changes->count; i++)
		*left += !changes->is_made[i];
	if (memory >= 0)
		close(memory);
	free(is_used);
	return err;
}

static int take_back_page(struct page *page, int memory)
{
	size_t count = 0;

	if (!read_page(page, memory))
		return 0;
	for (size_t i = 0; i < page->count; i++) {
		const struct injected_change *change = &page->first[i];
		uint8_t *at = page->bytes + (change->address - page->start);

		if (memcmp(at, change->after, change->size) != 0)
			continue;
		memcpy(at, change->before, change->size);
		count++;
	}
	return count ? write_page(page, memory) : 0;
}

int changes_take_back(const struct changes *changes)
{
	int memory = open_memory(changes->pid), err = memory < 0 ? memory : 0;

	for (size_t i = 0; i < changes->count && !err;) {
		struct page page = page_of(changes, i);

		err = take_back_page(&page, memory);
		i += page.count;
	}
	if (memory >= 0)
		close(memory);
	return err;
}
