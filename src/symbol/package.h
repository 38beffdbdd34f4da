/* SPDX-License-Identifier: MIT
 *
 * package.h - finds the distribution package of a file in the records of Debian's dpkg: a list of
 * files for each package. Runs no program.
 */
#ifndef DWELL_SYMBOL_PACKAGE_H
#define DWELL_SYMBOL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Directory of the lists: PACKAGE.list or PACKAGE:ARCHITECTURE.list. */
#define PACKAGE_FOLDER "/var/lib/dpkg/info"

#define PACKAGE_BYTES 128

struct package_query {
	const char *path;
	char name[PACKAGE_BYTES]; /* the result; "": unknown */
};

/* Looks all of them up at once, since all lists must be read: that takes some hundredths of a
 * second. */
void package_find(const char *folder, struct package_query *queries, size_t count);

/* The package with the symbols of the stripped files of package `name`: most are made by debhelper
 * and called NAME-dbgsym, some are older. */
#define PACKAGE_DEBUG_BYTES (PACKAGE_BYTES + sizeof("-dbgsym"))
const char *package_debug(char text[PACKAGE_DEBUG_BYTES], const char *name);

/* apt's lists of installable packages: SOURCE_Packages. Compressed ones, SOURCE_Packages.lz4 and
 * the like, are not read. */
#define PACKAGE_LISTS "/var/lib/apt/lists"

struct package_offer {
	char name[PACKAGE_DEBUG_BYTES]; /* "": not requested */
	bool is_known;                  /* the result: a list has it */
	bool is_unsure;                 /* no list that was read has it, and others were not */
};

/* Looks all of them up at once: each list is read once. */
void package_offered(const char *folder, struct package_offer *offers, size_t count);

#endif
