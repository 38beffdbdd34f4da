/* SPDX-License-Identifier: MIT
 *
 * list_versions.c - a library that has two versions of one function; see list_versions.map.
 */
#include <string.h>

int area_1(int width, int height);
int area_2(int width, int height);
size_t list_length(const char *text);
int list_data = 1;

__asm__(".symver area_1, list_area@LIST_1");
__asm__(".symver area_2, list_area@@LIST_2");

int area_1(int width, int height)
{
	return width + height;
}

int area_2(int width, int height)
{
	return width * height;
}

size_t list_length(const char *text)
{
	return strlen(text);
}
