/* SPDX-License-Identifier: MIT
 *
 * export.h - marks what a library shows to programs; everything else is hidden.
 */
#ifndef DWELL_BASE_EXPORT_H
#define DWELL_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
