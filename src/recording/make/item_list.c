/* SPDX-License-Identifier: MIT */
#include "item_list.h"

#include <stdlib.h>
#include <string.h>

#include "recording/format.h"

#define FIRST_ROOM 65536

void *item_list_add(struct item_list *list, uint32_t kind, size_t size)
{
	size_t room = list->room ? list->room : FIRST_ROOM;
	char *more = list->bytes;
	struct record_item *item;

	size = (size + 7) & ~(size_t)7;
	while (room < list->size + size)
		room *= 2;
	if (room != list->room)
		more = realloc(list->bytes, room);
	if (!more)
		return NULL;
	list->bytes = more;
	list->room = room;
	item = memset(list->bytes + list->size, 0, size);
	*item = (struct record_item){ kind, (uint32_t)size };
	list->size += size;
	return item;
}
