/* SPDX-License-Identifier: MIT */
#include "entry/entry_names.h"

#include <errno.h>

#include "relocations.h"

/* The head of .eh_frame_hdr as linkers write it: a sorted table of pairs, relative to the head. */
struct frames_head {
	uint8_t version, of_frames, of_count, of_table;
	int32_t frames;
	uint32_t count;
};
enum { COUNT_UDATA4 = 0x03, TABLE_DATAREL_SDATA4 = 0x3b };

struct frames_entry {
	int32_t start, fde;
};

static const struct frames_entry *frames_table(const struct view *view, uint64_t *base,
					       size_t *count)
{
	const Elf64_Phdr *segment = view_segment(view, PT_GNU_EH_FRAME);
	const struct frames_head *head =
		segment && segment->p_offset % 4 == 0 && segment->p_filesz >= sizeof(*head)
			? view_part(view, segment->p_offset, segment->p_filesz)
			: NULL;

	*count = 0;
	if (!head || head->version != 1 || head->of_count != COUNT_UDATA4 ||
	    head->of_table != TABLE_DATAREL_SDATA4 ||
	    head->count > (segment->p_filesz - sizeof(*head)) / sizeof(struct frames_entry))
		return NULL;
	*base = segment->p_vaddr;
	*count = head->count;
	return (const struct frames_entry *)(head + 1);
}

static void add(struct entry_names *names, const struct view *view, struct entry_name name)
{
	if (view_is_code(view, name.address))
		names->list[names->count++] = name;
}

static uint8_t rank_of(const char *text, uint8_t flags)
{
	unsigned rank = flags & NAME_EXPORTED ? 0 : flags & NAME_GLOBAL ? 2 : 4;

	return (uint8_t)(rank + (text[0] == '_'));
}

static void add_symbols(struct entry_names *names, const struct view *view,
			const struct view_symbols *symbols, bool is_dynamic)
{
	for (size_t i = 1; i < symbols->count; i++) {
		const Elf64_Sym *symbol = &symbols->symbols[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		struct entry_name name = { .address = symbol->st_value,
					   .size = symbol->st_size,
					   .text = view_name(symbols, symbol),
					   .symbol = is_dynamic ? (uint32_t)i : 0 };

		if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
		    !*name.text)
			continue;
		if (is_dynamic)
			name.flags |= NAME_EXPORTED;
		if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL)
			name.flags |= NAME_GLOBAL;
		if (type == STT_GNU_IFUNC)
			name.flags |= NAME_RESOLVER;
		if (!relocation_can_be_wrapped(symbol->st_other))
			name.flags |= NAME_VARIANT;
		name.rank = rank_of(name.text, name.flags);
		add(names, view, name);
	}
}

static void add_frames(struct entry_names *names, const struct view *view)
{
	uint64_t base;
	size_t count;
	const struct frames_entry *table = frames_table(view, &base, &count);

	for (size_t i = 0; i < count; i++)
		add(names, view,
		    (struct entry_name){ .address = base + (uint64_t)(int64_t)table[i].start,
					 .rank = UINT8_MAX,
					 .flags = NAME_FRAME });
}

static int compare_texts(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

static bool is_before(const struct entry_name *a, const struct entry_name *b)
{
	if (a->address != b->address)
		return a->address < b->address;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->text && b->text && compare_texts(a->text, b->text) < 0;
}

static void sink(struct entry_name *list, size_t root, size_t count)
{
	struct entry_name moving = list[root];

	for (size_t child; (child = 2 * root + 1) < count; root = child) {
		if (child + 1 < count && is_before(&list[child], &list[child + 1]))
			child++;
		if (!is_before(&moving, &list[child]))
			break;
		list[root] = list[child];
	}
	list[root] = moving;
}

/* Sorts without libc, whose qsort() may allocate. */
static void sort(struct entry_names *names)
{
	for (size_t i = names->count / 2; i-- > 0;)
		sink(names->list, i, names->count);
	for (size_t end = names->count; end-- > 1;) {
		struct entry_name last = names->list[end];

		names->list[end] = names->list[0];
		names->list[0] = last;
		sink(names->list, 0, end);
	}
}

int entry_names_read(struct entry_names *names, const struct view *view, const struct view *debug,
		     struct scratch *scratch)
{
	struct view_symbols dynamic, own, stripped = { 0 };
	uint64_t base;
	size_t frames;

	view_symbols(view, SHT_DYNSYM, &dynamic);
	view_symbols(view, SHT_SYMTAB, &own);
	if (debug)
		view_symbols(debug, SHT_SYMTAB, &stripped);
	frames_table(view, &base, &frames);
	*names = (struct entry_names){ 0 };
	names->list = scratch_take(scratch, (dynamic.count + own.count + stripped.count + frames) *
						    sizeof(*names->list));
	if (!names->list)
		return -ENOMEM;
	add_symbols(names, view, &dynamic, true);
	add_symbols(names, view, &own, false);
	add_symbols(names, view, &stripped, false);
	add_frames(names, view);
	sort(names);
	return 0;
}
