/* SPDX-License-Identifier: MIT
 *
 * gmon_plugin.c - one of two libraries of the same size, which are loaded to the same place.
 */
void WORK(void);

void WORK(void)
{
	__asm__ volatile("");
}
