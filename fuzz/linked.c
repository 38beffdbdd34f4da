/* SPDX-License-Identifier: MIT
 *
 * linked.c - a library that says where its debug file is, for the readers of ELF files to begin
 * with. Strippers add the section; here it is written by hand.
 */
__asm__(".section .gnu_debuglink,\"\",@progbits\n"
	".asciz \"linked.debug\"\n"
	".balign 4\n"
	".long 0x12345678\n");

int linked(int n);

int linked(int n)
{
	return n + 1;
}
