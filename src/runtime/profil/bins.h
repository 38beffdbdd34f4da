/* SPDX-License-Identifier: MIT
 *
 * bins.h - from a program counter to a counter of a histogram, as each dialect defines it.
 *
 * Pure arithmetic, exact for every 64-bit pc, offset and 32-bit scale; async-signal-safe.
 * With d = pc - offset, division rounding down:
 *
 *	linux, bsd, sprofil   (d / size) * scale / 65536     size: bytes of a counter, 2 or 4
 *	solaris               d * scale / 131072
 *
 * A scale of 65536 is thus one counter of `size` bytes for `size` bytes of text.
 */
#ifndef DWELL_RUNTIME_PROFIL_BINS_H
#define DWELL_RUNTIME_PROFIL_BINS_H

#include <stdbool.h>
#include <stdint.h>

/* The result for a pc below the offset, or too far above it for any buffer. */
#define BINS_NONE UINT64_MAX

/* Returns units * scale / 2^shift without losing the high bits of the product. */
static inline uint64_t bins_scale(uint64_t units, uint32_t scale, unsigned int shift)
{
	uint64_t high = units >> shift, low = units & ((UINT64_C(1) << shift) - 1);
	uint64_t bin;

	if (__builtin_mul_overflow(high, (uint64_t)scale, &bin) ||
	    __builtin_add_overflow(bin, low * scale >> shift, &bin))
		return BINS_NONE;
	return bin;
}

static inline uint64_t bins_linux(uint64_t pc, uint64_t offset, uint32_t scale,
				  unsigned int counter_bytes)
{
	return pc < offset ? BINS_NONE : bins_scale((pc - offset) / counter_bytes, scale, 16);
}

static inline uint64_t bins_solaris(uint64_t pc, uint64_t offset, uint32_t scale)
{
	return pc < offset ? BINS_NONE : bins_scale(pc - offset, scale, 17);
}

/*
 * Returns the lowest d whose linux bin is at least `bin`: where a region of `bin` counters ends.
 * The bin of d grows with u = d / counter_bytes, and u*scale/65536 >= bin first holds for u =
 * ceil(bin * 65536 / scale). UINT64_MAX: that is beyond all addresses.
 */
static inline uint64_t bins_linux_end(uint64_t bin, uint32_t scale, unsigned int counter_bytes)
{
	uint64_t high, units, bytes;

	if (scale == 0 || bin > UINT64_MAX >> 16)
		return UINT64_MAX;
	high = bin << 16;
	units = high / scale + (high % scale != 0);
	return __builtin_mul_overflow(units, (uint64_t)counter_bytes, &bytes) ? UINT64_MAX : bytes;
}

#endif
