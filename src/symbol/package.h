/* SPDX-License-Identifier: MIT
 *
 * package.h - which package of the distribution a file is of, as Debian's dpkg writes it down: a
 * list of files for each package. No program is run for it.
 */
#ifndef DWELL_SYMBOL_PACKAGE_H
#define DWELL_SYMBOL_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the lists are: PACKAGE.list or PACKAGE:ARCHITECTURE.list. */
#define PACKAGE_FOLDER "/var/lib/dpkg/info"

#define PACKAGE_BYTES 128

struct package_query {
	const char *path;
	char name[PACKAGE_BYTES]; /* the answer; "": none that is known */
};

/* All of them at once, since all lists have to be read: that takes some hundredths of a second. */
void package_find(const char *folder, struct package_query *queries, size_t count);

/* The package that has the symbols of those files of the package `name` that are stripped: most are
 * made by debhelper and called NAME-dbgsym, and some are older than that. */
#define PACKAGE_DEBUG_BYTES (PACKAGE_BYTES + sizeof("-dbgsym"))
const char *package_debug(char text[PACKAGE_DEBUG_BYTES], const char *name);

/* Where apt keeps what can be installed: SOURCE_Packages. Lists that it has compressed are not
 * read.
 */
#define PACKAGE_LISTS "/var/lib/apt/lists"

struct package_offer {
	char name[PACKAGE_DEBUG_BYTES]; /* "": none is asked about */
	bool is_known;                  /* the answer */
};

/* All of them at once: each list is read once. */
void package_offered(const char *folder, struct package_offer *offers, size_t count);

#endif
