/* SPDX-License-Identifier: MIT
 *
 * export.h - marks the symbols that a library exports; all others are hidden.
 */
#ifndef DWELL_BASE_EXPORT_H
#define DWELL_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
