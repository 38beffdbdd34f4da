/* SPDX-License-Identifier: MIT
 *
 * tick_path.h - marks the functions that every tick runs through, so that the linker puts them side
 * by side. Ticks are so rare that all of this code has left the caches: the cost is the number of
 * lines and pages it is spread over.
 */
#ifndef DWELL_RUNTIME_SAMPLER_TICK_PATH_H
#define DWELL_RUNTIME_SAMPLER_TICK_PATH_H

#define TICK_PATH __attribute__((hot))

#endif
