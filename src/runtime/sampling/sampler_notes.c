/* SPDX-License-Identifier: MIT */
#include "sampler_notes.h"

#include "base/atomic64.h"

void sampler_notes_lost(struct record_sampler *sampler, uint64_t ns)
{
	if (!sampler)
		return;
	atomic64_add(&sampler->lost, 1);
	atomic64_add(&sampler->lost_ns, ns);
}

void sampler_notes_coarse(struct record_sampler *sampler, uint64_t ns)
{
	if (sampler)
		atomic64_add(&sampler->coarse_ns, ns);
}

void sampler_notes_pace(struct record_sampler *sampler, uint32_t pace, uint64_t ns)
{
	uint32_t slowest;

	if (!pace || !sampler)
		return;
	atomic64_add(&sampler->slowed_ns, ns);
	slowest = __atomic_load_n(&sampler->slowest, __ATOMIC_RELAXED);
	while (slowest < pace &&
	       !__atomic_compare_exchange_n(&sampler->slowest, &slowest, pace, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

uint64_t sampler_notes_take_unsampled(struct record_sampler *parent)
{
	uint64_t ns;

	if (!parent)
		return 0;
	ns = *(volatile uint64_t *)&parent->unsampled_ns;
	return ns && atomic64_change(&parent->unsampled_ns, ns, 0) ? ns : 0;
}
