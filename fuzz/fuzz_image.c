/* SPDX-License-Identifier: MIT
 *
 * fuzz_image.c - an ELF file of foreign bytes that a process has mapped, which is watched from
 * outside: it is mapped here too, and a stack is walked by what its headers and tables say.
 */
#include <sys/stat.h>

#include "attach/walker.h"
#include "fuzz.h"

#define BASE        UINT64_C(0x7f0000000000)
#define STACK       UINT64_C(0x7ffff0000000)
#define STACK_WORDS 64
#define PLACES      32         /* of the file that walks begin in */
#define NOBODY      0x3fffffff /* no process has that number, so nothing else can be read */

static struct fuzz_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = fuzz_file_new();
	return 0;
}

/* Return addresses and stack pointers by turns. */
static void fill_stack(uint64_t words[STACK_WORDS], const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < STACK_WORDS; i++)
		words[i] = (i % 2 ? STACK : BASE) + (size ? bytes[i * 13 % size] * 8U : 0);
}

static void walk(struct walker *walker, const uint64_t words[STACK_WORDS], uintptr_t pc)
{
	static struct walker_frames frames;
	struct walker_stack stack = { .registers = { .known = REGISTERS_ALL, .exact = true },
				      .copy = (const char *)words,
				      .copy_bytes = STACK_WORDS * sizeof(*words) };

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		stack.registers.value[i] = words[i];
	stack.registers.value[ARCH_FRAME_PC] = pc;
	stack.registers.value[ARCH_FRAME_SP] = STACK;
	walker_walk(walker, NOBODY, &stack, &frames);
	if (frames.depth < 1 || frames.depth > UNWIND_DEPTH || frames.certain > frames.depth)
		abort();
}

static void walk_in(const struct target_image *image, const uint8_t *bytes, size_t size)
{
	struct walker_code code = { .start = BASE,
				    .end = BASE + ((size + 4095) & ~(size_t)4095),
				    .image = image };
	uint64_t words[STACK_WORDS];
	struct walker walker = { 0 };

	fill_stack(words, bytes, size);
	if (walker_publish(&walker, &code, 1) == 0)
		for (size_t i = 0; i < PLACES; i++)
			walk(&walker, words, BASE + size * i / PLACES);
	walker_free(&walker);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct images_wanted wanted = { .pid = getpid(), .start = BASE, .path = file.path };
	struct images images = { 0 };
	const struct target_image *image;
	struct stat stat;

	fuzz_file_cut(&file, 0);
	fuzz_file_write(&file, bytes, size, 0);
	fuzz_need(fstat(file.fd, &stat) == 0, "a file in memory is lost");
	wanted.inode = stat.st_ino;
	wanted.end = BASE + size;
	image = images_get(&images, &wanted);
	if (image && image->bytes)
		walk_in(image, bytes, size);
	images_free(&images);
	return 0;
}
