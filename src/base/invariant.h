/* SPDX-License-Identifier: MIT
 *
 * invariant.h - checks that an invariant which is written down holds. Only tests and builds with
 * -Dasserts=true or --buildtype=debug check: elsewhere it costs nothing, since code of ours must
 * never end the program that it is loaded into. A trap needs no libc, and is allowed everywhere.
 */
#ifndef DWELL_BASE_INVARIANT_H
#define DWELL_BASE_INVARIANT_H

#ifdef DWELL_ASSERTS
#define DWELL_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define DWELL_ASSERT(condition) ((void)(0 && (condition)))
#endif

#endif
