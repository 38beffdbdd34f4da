/* SPDX-License-Identifier: MIT
 *
 * test_environment.c - changes of the environment in place: the auditors of a program that was
 * started again without ours.
 */
#include <string.h>

#include "runtime/process/environment.h"
#include "tap.h"

static void restored(void)
{
	char kept[] = ENVIRONMENT_KEPT_AUDITORS "=/ours.so:/theirs.so";
	char theirs[] = ENVIRONMENT_AUDITORS "=/theirs.so";
	char a[] = "A=1", b[] = "B=2", *environment[] = { a, kept, b, theirs, NULL };

	environment_restore_auditors(environment);
	ok(!strcmp(environment[0], "A=1") && !strcmp(environment[2], "B=2") && !environment[3],
	   "additions are removed");
	ok(!strcmp(environment[1], ENVIRONMENT_AUDITORS "=/ours.so:/theirs.so"),
	   "and all auditors are there, in their place");
	environment_restore_auditors(environment);
	ok(!strcmp(environment[1], ENVIRONMENT_AUDITORS "=/ours.so:/theirs.so") && !environment[3],
	   "which is done once");
}

static void renamed(void)
{
	char one[] = "ABC=1", two[] = "ABCD=2";
	char *environment[] = { two, one, NULL };

	environment_rename(environment, "ABC", "XYZ");
	ok(!strcmp(environment[0], "ABCD=2") && !strcmp(environment[1], "XYZ=1"),
	   "a variable has another name, and others have not");
	environment_rename(environment, "ABC", "Q");
	ok(!strcmp(environment[0], "ABCD=2") && !strcmp(environment[1], "XYZ=1"),
	   "one that is not there is not renamed");
}

int main(void)
{
	ok(strlen(ENVIRONMENT_AUDITORS) == strlen(ENVIRONMENT_KEPT_AUDITORS),
	   "both names are of one length");
	restored();
	renamed();
	return tap_done();
}
