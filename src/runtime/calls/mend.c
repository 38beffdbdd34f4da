/* SPDX-License-Identifier: MIT
 *
 * mend.c - a call that is counted where the recording was truncated: see faults.h. Where
 * libdwell-record.so is there as well, its handler mends for both.
 */
#include <dlfcn.h>
#include <signal.h>

#include "base/export.h"
#include "begin.h"
#include "runtime.h"
#include "runtime/sampler/faults.h"
#include "runtime/process/own_code.h"
#include "runtime/sampler/signals.h"
#include "recording/write/room.h"

EXPORT bool dwell_calls_mend(const void *address, uintptr_t pc)
{
	return own_code_has(pc) && room_mend(address);
}

static bool mend(const siginfo_t *info, const ucontext_t *uc)
{
	return dwell_calls_mend(info->si_addr, arch_pc(uc));
}

void mend_begin(void)
{
	if (room_header() && !dwell_record_begin)
		faults_claim(mend);
}

/* The masks of the program are not guarded here. */
sys_sigset signals_withheld(void)
{
	return 0;
}

void signals_withhold(sys_sigset set)
{
	(void)set;
}
