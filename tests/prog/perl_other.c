/* SPDX-License-Identifier: MIT
 *
 * perl_other.c - looks like an interpreter of Perl of an unknown version.
 */
#include "record_load.h"

const unsigned char PL_revision = 5, PL_version = 9;
int perl_construct, Perl_call_sv, PL_thr_key;

DEFINE_BURNER(Perl_runops_standard)

int main(void)
{
	Perl_runops_standard(0.1);
	return perl_construct + Perl_call_sv + PL_thr_key;
}
