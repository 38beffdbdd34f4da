/* SPDX-License-Identifier: MIT
 *
 * java_other.c - looks like HotSpot, of an unknown version: it has tables, with one field.
 */
#include <stddef.h>
#include <stdint.h>

#include "record_load.h"

static int version = 9;

struct field {
	const char *type, *name;
	uint64_t offset;
	const void *address;
};

static const struct field fields[] = {
	{ "Abstract_VM_Version", "_vm_major_version", 0, &version },
	{ NULL, NULL, 0, NULL },
};

const void *gHotSpotVMStructs = fields;
uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct field);
uint64_t gHotSpotVMStructEntryTypeNameOffset = offsetof(struct field, type);
uint64_t gHotSpotVMStructEntryFieldNameOffset = offsetof(struct field, name);
uint64_t gHotSpotVMStructEntryOffsetOffset = offsetof(struct field, offset);
uint64_t gHotSpotVMStructEntryAddressOffset = offsetof(struct field, address);
const void *gHotSpotVMTypes = fields;
uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct field);
uint64_t gHotSpotVMTypeEntryTypeNameOffset = offsetof(struct field, type);
uint64_t gHotSpotVMTypeEntrySizeOffset = offsetof(struct field, offset);

DEFINE_BURNER(interpret)

int main(void)
{
	interpret(0.3);
	return 0;
}
