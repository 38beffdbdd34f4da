/* SPDX-License-Identifier: MIT
 *
 * test_perf_stacks.c - copies of one stack in more processes than there are walkers, each walked
 * with the code of its own process.
 */
#include "import/perf_stacks.h"

#include <link.h>
#include <ucontext.h>

#include "../../tap.h"
#include "perf_regs.h"
#include "unwind/registers.h"

#define COPY_BYTES 4096
#define PROCESSES  (PERF_WALKERS + 8)
/* Half of the processes have the same files mapped elsewhere: there is no code at the stack's. */
#define ELSEWHERE (UINT64_C(1) << 40)

static struct draft draft;
static struct perf_kernel kernel;
static struct perf_places places = { .draft = &draft, .kernel = &kernel };
static struct perf_stacks stacks = { .places = &places };
static struct err err;

static uint64_t memory[COPY_BYTES / sizeof(uint64_t)], words[ARCH_FRAME_REGISTERS];
static struct perf_sample sample = {
	.abi = ARCH_PERF_ABI,
	.registers = { (const char *)words, sizeof(words) },
	.copy = { (const char *)memory, sizeof(memory) },
};

/* Maps the code of an object of this program in a process. */
static int put_object(struct dl_phdr_info *object, size_t size, void *argument)
{
	uint32_t process = *(const uint32_t *)argument;
	uint64_t bias = object->dlpi_addr + (process % 2 ? ELSEWHERE : 0);

	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &object->dlpi_phdr[i];
		struct record_map map = { .start = bias + (load->p_vaddr & ~UINT64_C(4095)),
					  .end = bias + load->p_vaddr + load->p_memsz,
					  .offset = load->p_offset & ~UINT64_C(4095) };

		if (load->p_type == PT_LOAD && load->p_flags & PF_X &&
		    perf_places_map(&places, process, &map,
				    *object->dlpi_name ? object->dlpi_name : "/proc/self/exe",
				    &err))
			bail_out("an object cannot be mapped");
	}
	return 0;
}

static void make_processes(void)
{
	for (uint32_t i = 0; i < PROCESSES; i++) {
		uint32_t process;

		if (draft_process(&draft, 0, 100 + i, &process, &err) || process != i)
			bail_out("there is no process");
		dl_iterate_phdr(put_object, &process);
	}
}

/* Copies this stack, parts of which are not to be touched for AddressSanitizer. The caller's frame
 * is as large as the copy, which the stack may end in otherwise. */
__attribute__((noinline, no_sanitize("address"))) static void copy_stack(void)
{
	struct registers registers;
	ucontext_t context;

	getcontext(&context);
	registers_of(&registers, &context);
	for (size_t i = 0; i < ARCH_FRAME_REGISTERS; i++)
		words[arch_perf_word[i]] = registers.value[i];
	for (size_t i = 0; i < COPY_BYTES / sizeof(*memory); i++)
		memory[i] = ((const volatile uint64_t *)registers.value[ARCH_FRAME_SP])[i];
}

/* Returns how many of some processes, each `step` from the one before, have a stack of their own
 * code. */
static uint32_t walk_all(uint32_t step)
{
	uint32_t good = 0;

	for (uint32_t i = 0; i < PROCESSES; i += step) {
		const struct walker_frames *frames =
			perf_stacks_walk(&stacks, i, ARCH_PERF_REGS, &sample, &err);

		good += frames && (i % 2 ? frames->depth == 1 : frames->depth > 1);
	}
	return good;
}

int main(void)
{
	volatile char room[COPY_BYTES];

	room[0] = room[COPY_BYTES - 1] = 0;
	if (draft_init(&draft, &err))
		bail_out("there is no draft");
	make_processes();
	copy_stack();
	ok(walk_all(2) == PROCESSES / 2, "the stack of each process is walked");
	ok(walk_all(1) == PROCESSES, "each with its own code, where walkers are used again");
	ok(walk_all(3) == (PROCESSES + 2) / 3, "and again, some of them");
	ok(stacks.count == PERF_WALKERS, "there are no more than %d walkers", PERF_WALKERS);
	perf_stacks_free(&stacks);
	perf_places_free(&places);
	draft_free(&draft);
	return tap_done();
}
