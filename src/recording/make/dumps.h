/* SPDX-License-Identifier: MIT
 *
 * dumps.h - copies the functions of jitdump files into a recording whose command has ended: names
 * and lines of the sampled ones, at their addresses and times. Later the recording needs no dump.
 *
 * A JIT maps its dump, so the recording has its path among the mappings of the process. Any user
 * can write a file: only our own and root's are trusted.
 */
#ifndef DWELL_RECORDING_MAKE_DUMPS_H
#define DWELL_RECORDING_MAKE_DUMPS_H

#include "create.h"
#include "recording/read/reader.h"

/* Appends what is found to the recording, which is to be read again then. Returns the number of
 * functions, or -errno. A dump that cannot be read is left out. */
int dumps_import(const struct creation *creation, const struct reader *reader);

#endif
