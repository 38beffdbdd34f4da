/* SPDX-License-Identifier: MIT */
#include "call_site.h"

#include "runtime/process/build_id_note.h"

_Static_assert(sizeof(((struct record_caller *)0)->build_id) == BUILD_ID_NOTE_BYTES, "size");

/*
 * Returns the header of the object; NULL: it is not mapped. The code at a return address is about
 * to run, so its object is there.
 */
static const ElfW(Ehdr) * header_at(uintptr_t start)
{
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)start;
	bool is_elf = head->e_ident[0] == ELFMAG0 && head->e_ident[1] == ELFMAG1 &&
		      head->e_ident[2] == ELFMAG2 && head->e_ident[3] == ELFMAG3;

	return is_elf && head->e_phentsize == sizeof(ElfW(Phdr)) ? head : NULL;
}

/* The program headers of an object. */
struct object {
	const ElfW(Phdr) * headers;
	size_t count;
	uintptr_t bias;
};

/* Returns the header of the part of the file that is mapped at an address; NULL: none is. */
static const ElfW(Phdr) * load_at(const struct object *object, uintptr_t address, size_t size)
{
	for (size_t i = 0; i < object->count; i++) {
		const ElfW(Phdr) *header = &object->headers[i];
		uintptr_t offset = address - object->bias - header->p_vaddr;

		if (header->p_type == PT_LOAD && offset < header->p_filesz &&
		    size <= header->p_filesz - offset)
			return header;
	}
	return NULL;
}

/* Sets the bias. The first part contains the header of the file. */
static bool find_bias(struct object *object, uintptr_t start)
{
	size_t i = 0;

	while (i < object->count && object->headers[i].p_type != PT_LOAD)
		i++;
	if (i == object->count || object->headers[i].p_offset)
		return false;
	object->bias = start - object->headers[i].p_vaddr;
	return true;
}

static void read_build_id(struct record_caller *caller, const struct object *object)
{
	for (size_t i = 0; i < object->count && !caller->build_id_size; i++) {
		const ElfW(Phdr) *header = &object->headers[i];
		uintptr_t notes = object->bias + header->p_vaddr;

		if (header->p_type == PT_NOTE && load_at(object, notes, header->p_filesz))
			caller->build_id_size = build_id_note_find(
				(const char *)notes, header->p_filesz, caller->build_id);
	}
}

bool call_site_find(struct record_caller *caller, uintptr_t start, uintptr_t return_address)
{
	const ElfW(Ehdr) *head = header_at(start);
	const ElfW(Phdr) * load;
	/* The return address may be behind the end of a function that does not return. */
	uintptr_t call = return_address - 1;
	struct object object;

	if (!head)
		return false;
	object = (struct object){ .headers = (const ElfW(Phdr) *)(start + head->e_phoff),
				  .count = head->e_phnum };
	if (!find_bias(&object, start))
		return false;
	load = load_at(&object, call, 1);
	if (!load)
		return false;
	caller->address = call - object.bias - load->p_vaddr + load->p_offset + 1;
	read_build_id(caller, &object);
	return true;
}
