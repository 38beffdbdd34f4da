/* SPDX-License-Identifier: MIT */
#include "runtime/sampling/frames.h"

#include <string.h>
#include <sys/auxv.h>

#include "tap.h"

/* The linker's data on this program. */
struct self {
	uintptr_t bias;
	const unsigned char *frames; /* .eh_frame, by .eh_frame_hdr */
};

static int look_at(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct self *self = argument;

	(void)size;
	self->bias = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const unsigned char *header =
			(const unsigned char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		int32_t offset;

		/* Its second byte is the encoding of the address: relative, in 4 bytes. */
		if (info->dlpi_phdr[i].p_type != PT_GNU_EH_FRAME || header[1] != 0x1b)
			continue;
		memcpy(&offset, header + 4, sizeof(offset));
		self->frames = header + 4 + offset;
	}
	return 1;
}

int main(int argc, char **argv)
{
	struct self self = { 0 };
	const ElfW(Ehdr) * mapped;
	uintptr_t address = 0;
	size_t size = 0;
	ElfW(Ehdr) other;

	(void)argc;
	dl_iterate_phdr(look_at, &self);
	mapped = (const ElfW(Ehdr) *)(getauxval(AT_PHDR) - sizeof(ElfW(Ehdr)));
	if (!self.frames || memcmp(mapped->e_ident, ELFMAG, SELFMAG) != 0)
		bail_out("this program has no table of its frames");
	ok(frames_find(argv[0], mapped, &address, &size) && size > 0 &&
		   address + self.bias == (uintptr_t)self.frames,
	   "the section is where the program headers say");
	other = *mapped;
	other.e_entry++;
	ok(!frames_find(argv[0], &other, &address, &size), "not of another file");
	ok(!frames_find("/proc/self/comm", mapped, &address, &size),
	   "nor of a file that is not ELF");
	ok(!frames_find("/nowhere", mapped, &address, &size), "nor of what is not there");
	return tap_done();
}
