/* SPDX-License-Identifier: MIT
 *
 * test_successor.c - programs that cannot be recorded are counted, and executed without us.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include "../../apart.h"
#include "unit/runtime/calls/wrapped.h"
#include "runtime/process/environment.h"
#include "runtime/guard/successor.h"

static const char *const texts[] = {
	"A=1",
	"LD_PRELOAD=/x/$PLATFORM/libdwell-record.so:/x/$PLATFORM/libdwell-calls.so:/mine.so",
	"DWELL_DATA=/data",
	"LD_AUDIT=/x/$PLATFORM/libdwell-audit.so",
	"B=2",
	NULL,
};

#define OURS ((char *const *)texts)

static uint64_t lost(void)
{
	return room_header()->unreached.programs;
}

static void begin(uint32_t flags)
{
	wrapped_create(flags, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static bool is_untouched(void)
{
	return strstr(texts[1], "libdwell-record.so:") && strstr(texts[3], "libdwell-audit.so") &&
	       strcmp(texts[2], "DWELL_DATA=/data") == 0;
}

static void in_reach(void)
{
	ok(successor_bytes(OURS) == 0, "without a recording, programs have what they are given");
	begin(0);
	ok(successor_bytes(OURS) == 0, "so have they while no rights were given up");
	room_hold();
	ok(successor_bytes(OURS) == 0, "and after that, if they can open the recording");
	environ = (char **)texts;
	successor_is_lost();
	ok(lost() == 0, "then none is lost");
	unlink(wrapped.path);
}

static void out_of_reach(void)
{
	char **environment;
	size_t bytes;
	char *memory;

	begin(0);
	room_hold();
	unlink(wrapped.path);
	bytes = successor_bytes(OURS);
	memory = malloc(bytes + 1);
	if (!ok(bytes > 0 && memory, "one that cannot has an environment of its own"))
		return;
	memory[bytes] = 42;
	environment = successor_environment(OURS, memory);
	ok(memory[bytes] == 42, "which takes as much as was said");
	ok(!strcmp(environment[0], "A=1") && !strcmp(environment[1], "LD_PRELOAD=/mine.so") &&
		   !strcmp(environment[2], "B=2") && !environment[3],
	   "without us, and with all else");
	ok(is_untouched(), "that of the caller is not changed");
	ok(lost() == 1 && room_header()->unreached.code == ENOENT, "it is counted");
	successor_failed();
	ok(lost() == 0, "but not if it is not executed");
	successor_is_lost();
	ok(lost() == 1, "and so is one that has its environment from libc");
	free(memory);
}

/* As setpriv(1): another user, who keeps capabilities until exec. */
static bool keep_capabilities(struct __user_cap_header_struct *header,
			      struct __user_cap_data_struct *data)
{
	if (geteuid() != 0 || prctl(PR_SET_KEEPCAPS, 1) || setresuid(65534, 65534, 65534) ||
	    syscall(SYS_capget, header, data))
		return false;
	data[0].effective = data[0].permitted;
	return syscall(SYS_capset, header, data) == 0;
}

static void with_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct kept[2], now[2];
	sigset_t none;

	begin(0);
	room_hold();
	if (!keep_capabilities(&header, kept)) {
		unlink(wrapped.path);
		skip("capabilities that are kept", "it takes root to have some");
		return;
	}
	ok(room_reach() == 0,
	   "a process that has kept capabilities can open another user's recording");
	ok(successor_bytes(OURS) > 0, "the program that is executed has none, and cannot");
	ok(syscall(SYS_capget, &header, now) == 0 && !memcmp(now, kept, sizeof(kept)),
	   "kept descriptors still are");
	sigprocmask(SIG_SETMASK, NULL, &none);
	ok(sigisemptyset(&none), "and no signal is blocked");
	unlink(wrapped.path);
}

static void odd_environments(void)
{
	size_t count = 100000;
	const char **large = calloc(count + 1, sizeof(*large));
	char *memory[1];

	begin(0);
	room_hold();
	unlink(wrapped.path);
	ok(successor_bytes(NULL) == sizeof(memory) && !*successor_environment(NULL, memory),
	   "none at all is an empty one");
	for (size_t i = 0; i < count; i++)
		large[i] = "A=1";
	ok(successor_bytes((char *const *)large) == 0,
	   "one that would fill the stack is left as it is");
	free(large);
}

/* As made by env(1). */
static void without_us(void)
{
	static const char *const replaced[] = { "LD_PRELOAD=/other.so", "DWELL_DATA=/data", NULL };
	static const char *const cleared[] = { "A=1", NULL };
	static const char *const calls[] = { "DWELL_DATA=/data", "LD_PRELOAD=/x/libdwell-calls.so",
					     NULL };
	char memory[1024];
	char **environment;

	begin(0);
	ok(successor_bytes((char *const *)calls) == 0, "one of our libraries is enough");
	ok(successor_bytes((char *const *)cleared) > 0, "a program without our variables is lost");
	ok(successor_bytes((char *const *)replaced) > 0, "and so is one with other libraries");
	environment = successor_environment((char *const *)replaced, memory);
	ok(!strcmp(environment[0], "LD_PRELOAD=/other.so") && !environment[1],
	   "which is executed with nothing of ours");
	ok(lost() == 1 && room_header()->unreached.code == ELIBACC, "and counted");
	successor_failed();
	ok(lost() == 0, "if it is executed");
	unlink(wrapped.path);
}

/* As bubblewrap does: no function of libc shows that paths have changed. */
static void elsewhere(void)
{
	begin(0);
	unlink(wrapped.path);
	ok(successor_bytes(OURS) > 0, "where the path leads nowhere, a program is lost as well");
}

static void others(void)
{
	begin(RECORD_NO_FOLLOW);
	room_hold();
	unlink(wrapped.path);
	ok(successor_bytes(OURS) == 0, "programs that are not to be recorded are not missed");
}

int main(void)
{
	apart("in reach", in_reach);
	apart("out of reach", out_of_reach);
	apart("with capabilities", with_capabilities);
	apart("odd environments", odd_environments);
	apart("an environment without us", without_us);
	apart("elsewhere", elsewhere);
	apart("not followed", others);
	return tap_done();
}
