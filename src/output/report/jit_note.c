/* SPDX-License-Identifier: MIT */
#include "jit_note.h"

#include <string.h>

#include "base/glob.h"
#include "model/profile/profile_rows.h"
#include "output/table/units.h"

/* A smaller part of all time has no line. */
#define WORTH_A_LINE 0.01

/* The option that helps, by a file that the process has mapped. */
static const struct {
	const char *file, *text;
} helps[] = {
	{ "node", "run node --perf-prof --interpreted-frames-native-stack" },
	{ "libnode.so*", "run node --perf-prof --interpreted-frames-native-stack" },
	{ "libjvm.so", "run java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
		       "-XX:+DumpPerfMapAtExit" },
	{ "libcoreclr.so", "set DOTNET_PerfMapEnabled=1 in its environment" },
	{ "libpypy*", "PyPy does not write any; CPython has names without options" },
	{ "libluajit*", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS, or run luajit -joff" },
	{ "luajit*", "build LuaJIT with -DLUAJIT_USE_PERFTOOLS, or run luajit -joff" },
};

static const char *help_for(const struct record_map *map)
{
	const char *slash = strrchr(map->path, '/');

	for (size_t i = 0; slash && i < sizeof(helps) / sizeof(helps[0]); i++)
		if (glob_match(helps[i].file, slash + 1))
			return helps[i].text;
	return NULL;
}

/* Returns what helps with the code of a process, or of those that it was forked from. */
static const char *find_help(const struct maps_process *process)
{
	for (; process; process = process->parent)
		for (size_t i = 0; i < process->mapped.count; i++) {
			const struct record_map *map = process->mapped.events[i].map;
			const char *help = map ? help_for(map) : NULL;

			if (help)
				return help;
		}
	return "its JIT has to write /tmp/perf-PID.map or jit-PID.dump, see dwell-record(1)";
}

void jit_note_write(const struct profile *profile, FILE *out)
{
	struct profile_made made = profile_made_nameless(profile);
	char share[UNITS_BYTES];

	if (!made.ns || (double)made.ns < WORTH_A_LINE * (double)profile->totals.kept.ns)
		return;
	fprintf(out, "%s of the time is in code generated at run time, which has no names: %s\n",
		units_share(share, (double)made.ns, (double)profile->totals.kept.ns),
		find_help(made.process));
}
