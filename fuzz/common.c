/* SPDX-License-Identifier: MIT
 *
 * common.c - says that a part of a library's debug information is in a file that several share, as
 * dwz leaves it; here the section is written by hand, and there is no such file.
 */
__asm__(".section .gnu_debugaltlink,\"\",@progbits\n"
	".asciz \"common.debug\"\n"
	".fill 20, 1, 0x5a\n");
