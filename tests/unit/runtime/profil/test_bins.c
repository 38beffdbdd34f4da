/* SPDX-License-Identifier: MIT
 *
 * test_bins.c - each formula against another form of it: the arithmetic of glibc and of the BSD
 * kernel, and exact arithmetic in two words.
 */
#include <inttypes.h>

#include "../../random64.h"
#include "runtime/profil/bins.h"
#include "tap.h"

#define PCS_A_SCALE   16384
#define RANDOM_SCALES 100

static const uint32_t odd_scales[] = { 0,      1,      2,      3,      5,          0x7fff,
				       0x8000, 0x8001, 0xffff, 65537,  98765,      131071,
				       131072, 131073, 262143, 999999, 0x7fffffff, UINT32_MAX };

#define ODD_SCALES (sizeof(odd_scales) / sizeof(odd_scales[0]))
#define SCALES     (32 + ODD_SCALES + RANDOM_SCALES)

/* Every power of two, typical and extreme scales, and some random ones. */
static uint32_t scale_number(size_t i)
{
	uint64_t state = i;

	if (i < 32)
		return UINT32_C(1) << i;
	if (i < 32 + ODD_SCALES)
		return odd_scales[i - 32];
	return (uint32_t)(random64(&state) >> (32 + i % 32)) | 1;
}

/* The results of a formula for one pc, and the expected ones. */
struct sums {
	uint64_t pc, offset;
	uint32_t scale;
	uint64_t got, wanted;
};

static bool agree(struct sums sums)
{
	if (sums.got != sums.wanted)
		note("pc %#" PRIx64 " offset %#" PRIx64 " scale %" PRIu32 ": bin %" PRIu64
		     ", should be %" PRIu64,
		     sums.pc, sums.offset, sums.scale, sums.got, sums.wanted);
	return sums.got == sums.wanted;
}

static uint64_t exact(uint64_t units, uint32_t scale, unsigned int shift)
{
	uint64_t high = (units >> 32) * scale, low = (units & UINT32_MAX) * scale >> shift;

	/* The product is high * 2^32 + low; high must not overflow when shifted. */
	return high > (UINT64_MAX - low) >> (32 - shift) ? BINS_NONE : (high << (32 - shift)) + low;
}

/* glibc divides before it multiplies, and so needs no more than 64 bits for a user address. */
static uint64_t glibc(uint64_t pc, uint64_t offset, uint32_t scale)
{
	uint64_t i = (pc - offset) / 2;

	return i / 65536 * scale + i % 65536 * scale / 65536;
}

static void linux_is_glibc(void)
{
	const uint64_t user = UINT64_C(1) << 47;
	uint64_t state = 1, pcs = 0;
	bool same = true;

	for (size_t i = 0; i < SCALES && same; i++) {
		for (int n = 0; n < PCS_A_SCALE && same; n++, pcs++) {
			uint64_t offset = random64_any_size(&state) % user;
			uint64_t pc = offset + random64_any_size(&state) % (user - offset);
			uint32_t scale = scale_number(i);

			same = agree((struct sums){ pc, offset, scale,
						    bins_linux(pc, offset, scale, 2),
						    glibc(pc, offset, scale) });
		}
	}
	ok(same, "the linux bin is glibc's");
	ok(pcs >= 1000000, "that was tried with %" PRIu64 " program counters at %zu scales", pcs,
	   SCALES);
}

/* Where carries happen: 0 to 4 bytes on either side of each multiple of 64 KiB. */
static void linux_is_glibc_at_the_edges(void)
{
	bool same = true;

	for (size_t i = 0; i < SCALES; i++) {
		for (uint64_t d = 0; d < (40 << 16) && same; d += d % 65536 == 4 ? 65528 : 1) {
			uint32_t scale = scale_number(i);

			same = agree((struct sums){ d + 0x401001, 0x401001, scale,
						    bins_linux(d + 0x401001, 0x401001, scale, 2),
						    glibc(d, 0, scale) });
		}
	}
	ok(same, "also where 16 bits carry");
}

static void all_64_bits_are_exact(void)
{
	uint64_t state = 2;
	bool linux16 = true, linux32 = true, solaris = true;

	for (size_t i = 0; i < SCALES; i++) {
		for (int n = 0; n < PCS_A_SCALE; n++) {
			uint64_t offset = random64_any_size(&state);
			uint64_t wish = random64_any_size(&state), room = UINT64_MAX - offset;
			uint64_t d = wish < room ? wish : room;
			uint64_t pc = offset + d;
			uint32_t scale = scale_number(i);

			linux16 = linux16 && agree((struct sums){ pc, offset, scale,
								  bins_linux(pc, offset, scale, 2),
								  exact(d / 2, scale, 16) });
			linux32 = linux32 && agree((struct sums){ pc, offset, scale,
								  bins_linux(pc, offset, scale, 4),
								  exact(d / 4, scale, 16) });
			solaris = solaris && agree((struct sums){ pc, offset, scale,
								  bins_solaris(pc, offset, scale),
								  exact(d, scale, 17) });
		}
	}
	ok(linux16, "(d/2)*s/65536 is exact for all 64-bit addresses");
	ok(linux32, "(d/4)*s/65536 is exact for all 64-bit addresses");
	ok(solaris, "solaris: d*s/131072 is exact for all 64-bit addresses");
}

static void below_the_offset(void)
{
	static const uint64_t offsets[] = { 1, 2, 0x401001, UINT64_C(1) << 47, UINT64_MAX };
	uint64_t state = 3;
	bool dropped = true;

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		for (int n = 0; n < 1000; n++) {
			/* n counts down from the offset, then random ones below it. */
			uint64_t pc = n < 8 && (uint64_t)n < offsets[i]
					      ? offsets[i] - 1 - (uint64_t)n
					      : random64_below(&state, offsets[i]);
			uint32_t scale = scale_number(random64_below(&state, SCALES));

			dropped = dropped && bins_linux(pc, offsets[i], scale, 2) == BINS_NONE &&
				  bins_linux(pc, offsets[i], scale, 4) == BINS_NONE &&
				  bins_solaris(pc, offsets[i], scale) == BINS_NONE;
		}
	}
	ok(dropped, "a pc below the offset has no bin at any scale");
}

static void documented_cases(void)
{
	ok(bins_linux(0x401000, 0x401000, 65536, 2) == 0 &&
		   bins_linux(0x401003, 0x401000, 65536, 2) == 1,
	   "linux: scale 65536 is a counter for two bytes");
	ok(bins_linux(0x401003, 0x401000, 32768, 2) == 0 &&
		   bins_linux(0x401004, 0x401000, 32768, 2) == 1,
	   "linux: scale 32768 is a counter for four bytes");
	ok(bins_linux(0x401003, 0x401000, 131072, 2) == 2, "linux: scale 131072 counts every byte");
	ok(bins_linux(UINT64_MAX, 0, 0, 2) == 0, "linux: scale 0 is one counter for everything");
	ok(bins_linux(0x401007, 0x401000, 65536, 4) == 1,
	   "32-bit counters: scale 65536 is a counter for four bytes");
	ok(bins_solaris(65535, 0, 2) == 0 && bins_solaris(65536, 0, 2) == 1,
	   "solaris: scale 2 is a counter for 65,536 bytes");
	ok(bins_solaris(2, 0, 65536) == 1 && bins_solaris(1, 0, 131072) == 1,
	   "solaris: scale 65536 is a counter for two bytes, 131072 for one");
}

/*
 * BSD kernels multiply first: (d*s >> 16) is the offset in bytes, of which the low bit is dropped.
 */
static uint64_t bsd_kernel(uint64_t d, uint32_t scale)
{
	return (d * scale >> 16) / 2;
}

static void bsd_page_and_kernel(void)
{
	bool even_same = true, powers_same = true;
	uint64_t odd_differ = 0, state = 4;

	for (int n = 0; n < 1000000; n++) {
		uint64_t d = random64_any_size(&state) >> 17; /* a user address */
		uint32_t scale = (uint32_t)random64_any_size(&state) % 65537;
		uint32_t power = UINT32_C(1) << n % 17;

		powers_same = powers_same && bins_linux(d, 0, power, 2) == bsd_kernel(d, power);
		even_same = even_same && bins_linux(d & ~UINT64_C(1), 0, scale, 2) ==
						 bsd_kernel(d & ~UINT64_C(1), scale);
		odd_differ += bins_linux(d | 1, 0, scale, 2) != bsd_kernel(d | 1, scale);
	}
	ok(powers_same, "bsd: page and kernel agree at all scales that are powers of two");
	ok(even_same, "bsd: page and kernel agree for even distances at all scales");
	ok(odd_differ > 0, "bsd: for odd ones at other scales they do not always");
	ok(bins_linux(3, 0, 65535, 2) == 0 && bsd_kernel(3, 65535) == 1,
	   "bsd: such as a distance of 3 at scale 65535, where ours is the page's");
}

/* The end is right when its own bin is the first that is not below `bin`. */
static bool end_is_exact(uint64_t bin, uint32_t scale, unsigned int counter_bytes)
{
	uint64_t end = bins_linux_end(bin, scale, counter_bytes);
	uint64_t units = end / counter_bytes;
	bool reaches = exact(units, scale, 16) >= bin;
	bool first = end == 0 || exact((end - 1) / counter_bytes, scale, 16) < bin;

	if (end == UINT64_MAX) /* no address has that bin */
		reaches = exact(units, scale, 16) < bin;
	if (!reaches || !first)
		note("bin %" PRIu64 " scale %" PRIu32 " size %u: end %#" PRIx64 " is wrong", bin,
		     scale, counter_bytes, end);
	return reaches && first;
}

static void the_end_of_a_region(unsigned int counter_bytes)
{
	uint64_t state = 5;
	bool right = true;

	for (size_t i = 0; i < SCALES; i++) {
		for (int n = 0; n < 2000; n++) {
			/* No buffer has 2^48 counters, and one of 0 is not a region. */
			uint64_t bin = 1 + (n < 20 ? (uint64_t)n : random64_any_size(&state) >> 17);

			right = right && end_is_exact(bin, scale_number(i), counter_bytes);
		}
	}
	ok(right, "the end of a region with %u-byte counters is the first address out of it",
	   counter_bytes);
}

/* Finds the end by walking up to it. */
static void the_end_by_walking(unsigned int counter_bytes)
{
	static const uint32_t scales[] = {
		37, 1000, 0x8000, 0xffff, 65536, 65537, 131072, 1000000
	};
	bool right = true;

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		for (uint64_t bins = 1; bins < 40; bins++) {
			uint64_t d = 0;

			while (bins_linux(d, 0, scales[i], counter_bytes) < bins)
				d++;
			right = right && bins_linux_end(bins, scales[i], counter_bytes) == d;
		}
	}
	ok(right, "walking up to the end of %u-byte counters finds the same", counter_bytes);
}

int main(void)
{
	linux_is_glibc();
	linux_is_glibc_at_the_edges();
	all_64_bits_are_exact();
	below_the_offset();
	documented_cases();
	bsd_page_and_kernel();
	the_end_of_a_region(2);
	the_end_of_a_region(4);
	the_end_by_walking(2);
	the_end_by_walking(4);
	ok(bins_linux_end(1, 0, 2) == UINT64_MAX, "at scale 0 a region has no end");
	return tap_done();
}
