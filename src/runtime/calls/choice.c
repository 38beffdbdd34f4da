/* SPDX-License-Identifier: MIT */
#include "choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "demangler.h"
#include "recording/format.h"
#include "sys.h"

/* The user's specs of one role, and their items in the recording. */
struct role {
	struct spec_list specs;
	struct record_spec **items; /* NULL: it is marked already */
};

static struct role chosen, excluded, from;

static uint32_t flags; /* enum record_flags */

/* Some spec does not match every name. */
static bool names_matter;

static struct role *role_of(uint32_t role)
{
	switch (role) {
	case RECORD_CHOOSE:
		return &chosen;
	case RECORD_EXCLUDE:
		return &excluded;
	case RECORD_FROM:
		return &from;
	default:
		return NULL;
	}
}

static int add(struct record_spec *item)
{
	struct role *role = role_of(item->role);
	size_t before = role ? role->specs.count : 0;
	struct err err;
	int status;

	if (!role)
		return 0;
	status = role == &from ? spec_list_add_objects(&role->specs, item->text, &err)
			       : spec_list_add_one(&role->specs, item->text, &err);
	if (status)
		return status;
	role->items = realloc(role->items, role->specs.count * sizeof(*role->items));
	if (!role->items)
		return -ENOMEM;
	for (size_t i = before; i < role->specs.count; i++) {
		role->items[i] = item;
		if (role->specs.specs[i].function &&
		    strcmp(role->specs.specs[i].function, "*") != 0)
			names_matter = true;
	}
	return 0;
}

/* Reads the specs. The tool has just written them; still, they are validated. */
static int read_items(char *start, char *end)
{
	int status = 0;

	while (!status && end - start >= (ptrdiff_t)sizeof(struct record_spec)) {
		struct record_spec *item = (struct record_spec *)start;

		if (item->item.kind != RECORD_SPEC || item->item.size < sizeof(*item) ||
		    item->item.size > (size_t)(end - start) || item->item.size % 8 != 0)
			break;
		if (memchr(item->text, 0, item->item.size - sizeof(*item)))
			status = add(item);
		start += item->item.size;
	}
	return status;
}

int choice_load_from(int fd)
{
	struct record_segment head;
	struct record_header header;
	char *setup = NULL;

	if (sys_pread(fd, &header, offsetof(struct record_header, status), 0) > 0)
		flags = header.flags;
	/* Missing in recordings that were made without specs, and packed. */
	if (sys_pread(fd, &head, sizeof(head), RECORD_GRAIN) == (long)sizeof(head) &&
	    head.kind == RECORD_SETUP)
		setup = sys_mmap_shared(head.size, fd, RECORD_GRAIN);
	if (!setup || sys_failed(setup))
		return -EINVAL;
	return read_items(setup + sizeof(head), setup + head.size);
}

int choice_load(const char *data)
{
	int fd = sys_open(data, O_RDWR | O_NOFOLLOW), err;

	if (fd < 0)
		return fd;
	err = choice_load_from(fd);
	sys_close(fd);
	return err;
}

void choice_unload(void)
{
	struct role *roles[] = { &chosen, &excluded, &from };

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		spec_list_free(&roles[i]->specs);
		free(roles[i]->items);
		*roles[i] = (struct role){ 0 };
	}
	names_matter = false;
}

/*
 * Marks an item by a system call, which does nothing if the recording was truncated: a store would
 * raise SIGBUS. Not by libc's syscall(), whose errno is thread-local: the thread may have no such
 * variables.
 */
static void mark(struct record_spec *item)
{
	SYS6(SYS_futex, &item->matched, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, &item->matched,
	     FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 0));
}

static bool match(struct role *role, const struct spec_subject *subject)
{
	bool matches = spec_list_match(&role->specs, subject);

	for (size_t i = 0; matches && i < role->specs.count; i++)
		if (role->specs.specs[i].matched && role->items[i]) {
			mark(role->items[i]);
			role->items[i] = NULL;
		}
	return matches;
}

bool choice_has_caller(const struct spec_subject *caller)
{
	return from.specs.count == 0 || match(&from, caller);
}

bool choice_may_have(const struct spec_subject *object)
{
	return spec_list_has_object(&chosen.specs, object);
}

uint32_t choice_flags(void)
{
	return flags;
}

bool choice_has(const struct spec_subject *function)
{
	struct spec_subject named = *function;
	struct demangled names;

	if (names_matter && demangler_read(&names, function->symbol)) {
		named.demangled = names.full;
		named.plain = names.plain;
	}
	return match(&chosen, &named) && !match(&excluded, &named);
}

/* Globs, so that a family takes one line. */
static const char *const only_counted[] = {
	/* return twice, or elsewhere */
	"setjmp",
	"_setjmp",
	"__setjmp",
	"sigsetjmp",
	"__sigsetjmp",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"__libc_*longjmp",
	"vfork",
	"__vfork",
	"clone",
	"__clone",
	"clone3",
	"syscall",
	"getcontext",
	"setcontext",
	"swapcontext",
	"makecontext",
	"__getcontext",
	"__setcontext",
	/* do not return; in the child of vfork() their slots would stay with the parent */
	"execl",
	"execle",
	"execlp",
	"execv",
	"execve",
	"execvp",
	"execvpe",
	"execveat",
	"fexecve",
	"exit",
	"_exit",
	"_Exit",
	"quick_exit",
	"abort",
	"__libc_start_main",
	/* depend on their caller */
	"dlopen",
	"dlmopen",
	"dlsym",
	"dlvsym",
	"dladdr",
	"dladdr1",
	"dlinfo",
	"dl_iterate_phdr",
	"__libc_dl*",
	"_dl_*",
	"mcount",
	"_mcount",
	"__fentry__",
	/* are part of unwinding */
	"_Unwind_*",
	"uw_*",
	"execute_cfa_program*",
	"execute_stack_op",
	"__unw_*",
	"_ZN9libunwind*",
	"_U*_step",
	"unw_*",
	"__register_frame*",
	"__deregister_frame*",
	"*_personality_v*",
	"rust_eh_personality",
	"__tls_get_addr",
	/* is called by libc while it starts and ends threads with all signals blocked, so that no
	 * access to a lost recording could be repaired */
	"__tunable_get_val",
};

static const char *const system_objects[] = { "ld-linux*.so*", "ld64.so*", "ld-musl*",
					      "libgcc_s.so*", "libunwind*.so*" };

/* Virtual machines that generate code at run time, and walk the stack by return addresses. */
static const char *const machines[] = { "libjvm.so*",     "libmozjs-*",
					"libxul.so*",     "libjavascriptcoregtk-*",
					"libcoreclr.so*", "libluajit-*",
					"libv8*",         "libnode*",
					"libmono*" };

static bool in_list(const char *const *globs, size_t count, const char *name)
{
	/* Most differ in the first letter, and this runs for every binding. */
	for (size_t i = 0; i < count; i++)
		if ((globs[i][0] == name[0] || globs[i][0] == '*') && glob_match(globs[i], name))
			return true;
	return false;
}

bool choice_is_ours(const struct spec_subject *object)
{
	return strcmp(object->soname, CHOICE_RUNTIME) == 0;
}

bool choice_counts_object(const struct spec_subject *object)
{
	return choice_is_system(object) ||
	       in_list(machines, sizeof(machines) / sizeof(machines[0]), object->soname);
}

bool choice_is_system(const struct spec_subject *object)
{
	return in_list(system_objects, sizeof(system_objects) / sizeof(system_objects[0]),
		       object->soname);
}

bool choice_counts_only(const struct spec_subject *function)
{
	return in_list(only_counted, sizeof(only_counted) / sizeof(only_counted[0]),
		       function->symbol) ||
	       choice_is_system(function);
}
