/* SPDX-License-Identifier: MIT */
#include "symbol/elf_versions.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int put(struct elf_versions *versions, size_t index, struct elf_version version)
{
	if (!version.name)
		return -EINVAL;
	if (index >= versions->count) {
		struct elf_version *more = realloc(versions->versions, (index + 1) * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + versions->count, 0, (index + 1 - versions->count) * sizeof(*more));
		versions->versions = more;
		versions->count = index + 1;
	}
	versions->versions[index] = version;
	return 0;
}

/* Steps along the chain of entries. False: out of the section, or too far for libelf's int. */
static bool step(const Elf_Data *data, size_t *at, size_t distance)
{
	*at += distance;
	return *at < data->d_size && *at <= INT_MAX;
}

int elf_versions_defined(struct elf_versions *versions, Elf *elf, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Verdef def;
	size_t at = 0;

	if (!data || !data->d_buf || !gelf_getshdr(section, &header))
		return -EINVAL;
	do {
		GElf_Verdaux aux;
		size_t aux_at = at;
		int status;

		if (!gelf_getverdef(data, (int)at, &def) || !step(data, &aux_at, def.vd_aux) ||
		    !gelf_getverdaux(data, (int)aux_at, &aux))
			return -EINVAL;
		/* The base is the name of the file, not a version. */
		if (def.vd_flags & VER_FLG_BASE)
			continue;
		status = put(versions, def.vd_ndx & VERSION_MASK,
			     (struct elf_version){ elf_strptr(elf, header.sh_link, aux.vda_name) });
		if (status)
			return status;
	} while (def.vd_next && step(data, &at, def.vd_next));
	return def.vd_next ? -EINVAL : 0;
}

/* Adds the versions needed from one library. */
static int needed_from(struct elf_versions *versions, Elf *elf, Elf_Data *data, size_t strings,
		       size_t at, const GElf_Verneed *need)
{
	const char *library = elf_strptr(elf, strings, need->vn_file);
	GElf_Vernaux aux = { .vna_next = need->vn_aux };

	do {
		int status;

		if (!step(data, &at, aux.vna_next) || !gelf_getvernaux(data, (int)at, &aux))
			return -EINVAL;
		status = put(
			versions, aux.vna_other & VERSION_MASK,
			(struct elf_version){ elf_strptr(elf, strings, aux.vna_name), library });
		if (status)
			return status;
	} while (aux.vna_next);
	return library ? 0 : -EINVAL;
}

int elf_versions_needed(struct elf_versions *versions, Elf *elf, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Shdr header;
	GElf_Verneed need;
	size_t at = 0;

	if (!data || !data->d_buf || !gelf_getshdr(section, &header))
		return -EINVAL;
	do {
		int status;

		if (!gelf_getverneed(data, (int)at, &need))
			return -EINVAL;
		status = needed_from(versions, elf, data, header.sh_link, at, &need);
		if (status)
			return status;
	} while (need.vn_next && step(data, &at, need.vn_next));
	return need.vn_next ? -EINVAL : 0;
}

struct elf_version elf_versions_get(const struct elf_versions *versions, size_t index)
{
	return index < versions->count ? versions->versions[index] : (struct elf_version){ 0 };
}

void elf_versions_free(struct elf_versions *versions)
{
	free(versions->versions);
	*versions = (struct elf_versions){ 0 };
}
