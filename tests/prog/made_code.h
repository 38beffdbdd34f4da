/* SPDX-License-Identifier: MIT
 *
 * made_code.h - machine code of functions that programs write into memory and run: made_code counts
 * up to its argument, and made_call calls it. They have frame pointers.
 */
#ifndef DWELL_TESTS_MADE_CODE_H
#define DWELL_TESTS_MADE_CODE_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

#ifdef __aarch64__
#define MADE_MACHINE EM_AARCH64
#define MADE_LOOP    12 /* the offset of its loop, and of the code behind that */
#define MADE_END     24
static const uint32_t made_code[] = {
	0xa9bf7bfd, 0x910003fd,             /* stp x29, x30, [sp, #-16]!; mov x29, sp */
	0x52800001,                         /* mov w1, #0 */
	0x11000421, 0x6b00003f, 0x54ffffc1, /* 1: add w1, w1, #1; cmp w1, w0; b.ne 1b */
	0xa8c17bfd, 0xd65f03c0              /* ldp x29, x30, [sp], #16; ret */
};
static const uint32_t made_call[] = {
	0xa9bf7bfd, 0x910003fd, /* stp x29, x30, [sp, #-16]!; mov x29, sp */
	0xd63f0000,             /* blr x0 */
	0xa8c17bfd, 0xd65f03c0  /* ldp x29, x30, [sp], #16; ret */
};
#elif defined(__riscv)
#define MADE_MACHINE EM_RISCV
#define MADE_LOOP    20
#define MADE_END     28
static const uint32_t made_code[] = {
	0xff010113, 0x00113423, 0x00813023, /* addi sp, sp, -16; sd ra, 8(sp); sd s0, 0(sp) */
	0x01010413, 0x00000593,             /* addi s0, sp, 16; li a1, 0 */
	0x0015859b, 0xfea59ee3,             /* 1: addiw a1, a1, 1; bne a1, a0, 1b */
	0x00813083, 0x00013403,             /* ld ra, 8(sp); ld s0, 0(sp) */
	0x01010113, 0x00008067              /* addi sp, sp, 16; ret */
};
static const uint32_t made_call[] = {
	0xff010113, 0x00113423, 0x00813023, /* addi sp, sp, -16; sd ra, 8(sp); sd s0, 0(sp) */
	0x01010413, 0x000500e7,             /* addi s0, sp, 16; jalr a0 */
	0x00813083, 0x00013403,             /* ld ra, 8(sp); ld s0, 0(sp) */
	0x01010113, 0x00008067              /* addi sp, sp, 16; ret */
};
#else
#define MADE_MACHINE EM_X86_64
#define MADE_LOOP    6
#define MADE_END     12
static const uint8_t made_code[] = {
	0x55, 0x48, 0x89, 0xe5,             /* push %rbp; mov %rsp,%rbp */
	0x31, 0xc0,                         /* xor %eax,%eax */
	0xff, 0xc0, 0x39, 0xf8, 0x75, 0xfa, /* 1: inc %eax; cmp %edi,%eax; jne 1b */
	0x5d, 0xc3                          /* pop %rbp; ret */
};
static const uint8_t made_call[] = {
	0x55, 0x48, 0x89, 0xe5, /* push %rbp; mov %rsp,%rbp */
	0xff, 0xd7,             /* call *%rdi */
	0x5d, 0xc3              /* pop %rbp; ret */
};
#endif

static inline void made_write(uint8_t *place, const void *code, size_t size)
{
	memcpy(place, code, size);
	__builtin___clear_cache((char *)place, (char *)place + size);
}

/* Writes made_code to a place that is executed from then on. */
static inline void made_code_write(uint8_t *place)
{
	made_write(place, made_code, sizeof(made_code));
}

static inline void made_call_write(uint8_t *place)
{
	made_write(place, made_call, sizeof(made_call));
}

#endif
