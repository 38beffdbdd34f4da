/* SPDX-License-Identifier: MIT
 *
 * audit.c - the auditor, libdwell-audit.so: callbacks of the dynamic linker (rtld-audit(7)). It
 * decides which functions are wrapped, and hands out their redirectors.
 *
 * It runs in a namespace of its own with a libc of its own, so it may use that. Code that unwinders
 * must find has to be in the program's namespace: that is the runtime, libdwell-calls.so, which the
 * auditor calls by address and before it is relocated.
 */
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/export.h"
#include "choice.h"
#include "entry_patch.h"
#include "flip.h"
#include "found.h"
#include "image.h"
#include "linker_memory.h"
#include "resolvers.h"
#include "restart.h"
#include "runtime.h"
#include "symbolic.h"
#include "recording/format.h"
#include "sys.h"

/*
 * The linker's cookie of an object. It is kept when the object is closed, since at process exit the
 * linker also closes objects that others go on calling, and is reused when the same file is opened
 * again. The image points into the object's own memory: only the linker knows whether that is still
 * mapped, so it is read for an object that the linker has just passed to us, and never while going
 * through the list.
 */
struct object {
	struct object *next;
	struct image image;
	struct flipped flipped;
	enum symbolic symbolic;
	char *path;
	bool is_open;
	bool is_caller;               /* its calls are observed */
	bool is_provider;             /* its functions may be chosen */
	bool is_ours;                 /* interposes libc */
	bool is_patched;              /* --via entry: or need not be */
	uint32_t id;                  /* in the recording; NO_ID: none yet */
	struct runtime_island island; /* --via entry; all 0: none */
};

#define NO_ID UINT32_MAX

static struct object *objects;

static const struct link_map *first_map; /* the program's, in the linker's list */

/* libc, which is never closed. Functions of ours that interpose libc's are reported as libc's. */
static struct object *libc;

static struct {
	int (*attach)(const char *, const char *);
	uint32_t (*object)(const struct runtime_object *);
	void *(*bind)(const struct runtime_function *);
	void (*forget)(uint32_t);
	void (*resolving)(runtime_wrap *);
	bool (*island)(const struct runtime_island *);
	void (*no_island)(const struct runtime_island *);
	void (*lose)(uint32_t);
	const uintptr_t *(*counting)(void);
	bool (*repairs)(void);
	sys_filter_function *refuses;
	const struct image *image;
	const char *path; /* NULL: it is not there */
	bool attached;
} runtime;

static const char *data;

static runtime_wrap wrap_found;

/*
 * Set at the linker's first notice that all objects are in place. Before that, it has bound and
 * initialised nothing but itself and us: no code of the program has run, so there is no signal
 * handler, no other thread, and no child of a fork(). Most bindings are made by then. Notices while
 * it loads other auditors come before it has passed us any object.
 */
static bool is_started;

/*
 * After that, lazy binding comes from any thread and any signal handler, and a fork() may come at
 * any time. So there is a lock of our own, in a page that fork() wipes, and nothing is allocated
 * while it is held: our libc is not notified of the program's forks, and would find its locks taken
 * in the child.
 */
static atomic_flag *lock;

static bool make_lock(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	lock = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return lock != MAP_FAILED && madvise(lock, page, MADV_WIPEONFORK) == 0;
}

/* Returns whether the lock was taken: it is not needed before the program has started. Uses the
 * system call, because libc's sigprocmask() drops libc's internal signals from the mask, and a
 * thread of libc that waits for one of them (SIGEV_THREAD) would be killed by it. */
static bool take_lock(sys_sigset *mask)
{
	const sys_sigset all = ~SYS_SIGBIT(SIGBUS); /* as state_block_signals() has it */

	if (!is_started)
		return false;
	sys_sigprocmask(runtime.repairs && runtime.repairs() ? SIG_SETMASK : SIG_BLOCK, &all, mask);
	while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
		sched_yield();
	return true;
}

static void release_lock(const sys_sigset *mask)
{
	atomic_flag_clear_explicit(lock, memory_order_release);
	sys_sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Returns whether entries are patched, and the linker's tables are left alone: --via entry. */
static bool is_by_entry(void)
{
	return choice_flags() & RECORD_VIA_ENTRY;
}

static char program_path[4096];

static struct spec_subject subject_of(const struct object *object)
{
	return (struct spec_subject){ .soname = object->image.soname, .path = object->path };
}

static void *runtime_symbol(const struct image *image, const char *name)
{
	size_t symbol = image_find(image, name, 0);

	return symbol ? (void *)(image->map->l_addr + image->symbols[symbol].st_value) : NULL;
}

static void find_runtime(struct object *object)
{
	const struct image *image = &object->image;

	runtime.attach = runtime_symbol(image, "dwell_calls_attach");
	runtime.object = runtime_symbol(image, "dwell_calls_object");
	runtime.bind = runtime_symbol(image, "dwell_calls_bind");
	runtime.forget = runtime_symbol(image, "dwell_calls_forget");
	runtime.resolving = runtime_symbol(image, "dwell_calls_resolving");
	runtime.refuses = runtime_symbol(image, "dwell_calls_refuses");
	runtime.island = runtime_symbol(image, "dwell_calls_island");
	runtime.no_island = runtime_symbol(image, "dwell_calls_no_island");
	runtime.lose = runtime_symbol(image, "dwell_calls_lose");
	runtime.counting = runtime_symbol(image, "dwell_calls_counting");
	runtime.repairs = runtime_symbol(image, "dwell_calls_repairs");
	runtime.image = image;
	if (runtime.attach && runtime.object && runtime.bind && runtime.forget &&
	    runtime.resolving && runtime.refuses && runtime.island && runtime.no_island &&
	    runtime.lose && runtime.counting && runtime.repairs)
		runtime.path = object->path;
}

/*
 * Attaches the runtime, once, when the linker has loaded all objects of the program and begins to
 * bind them: until then, the program may be started again, and must not leave a process in the
 * recording.
 */
static void attach_runtime(void)
{
	if (!runtime.path)
		return;
	runtime.attached = runtime.attach(data, runtime.path) == 0;
	runtime.resolving(wrap_found);
	sys_filter = runtime.refuses;
	runtime.path = NULL;
}

static const char *path_of(const struct link_map *map)
{
	ssize_t length;

	if (*map->l_name)
		return map->l_name;
	length = readlink("/proc/self/exe", program_path, sizeof(program_path) - 1);
	program_path[length < 0 ? 0 : length] = '\0';
	return program_path;
}

EXPORT unsigned la_version(unsigned version)
{
	data = secure_getenv("DWELL_DATA");
	/* Programs overwrite their environment, and the recording is opened whenever it grows. */
	data = data ? strdup(data) : NULL;
	if (!data || !make_lock() || choice_load(data) != 0)
		return 0; /* the linker forgets us */
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Returns a new object, or a closed one of the same path. */
static struct object *object_for(const char *path)
{
	struct object *object = objects;

	while (object && (object->is_open || object->island.end || strcmp(object->path, path) != 0))
		object = object->next;
	if (object)
		return object;
	object = calloc(1, sizeof(*object));
	if (!object)
		return NULL;
	object->path = strdup(path);
	if (!object->path) {
		free(object);
		return NULL;
	}
	object->next = objects;
	objects = object;
	return object;
}

/* Notes an object. The linker holds its own lock around this and la_objclose(). */
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	struct object *object = namespace == LM_ID_BASE ? object_for(path_of(map)) : NULL;
	struct spec_subject subject;

	/* Our runtime cannot unwind through objects of other namespaces. */
	*cookie = (uintptr_t)object;
	if (!object)
		return 0;
	image_read(&object->image, map, NULL);
	if (!*map->l_name && !first_map)
		first_map = map;
	if (map->l_addr == getauxval(AT_BASE))
		linker_memory_of_plt(object->image.jump_count);
	object->id = NO_ID;
	object->is_open = true;
	if (strcmp(object->image.soname, CHOICE_RUNTIME) == 0)
		find_runtime(object);
	if (strcmp(object->image.soname, CHOICE_BEHIND) == 0)
		libc = object;
	subject = subject_of(object);
	object->is_provider = true;
	object->is_ours = choice_is_ours(&subject);
	object->is_caller =
		!object->is_ours && !choice_is_system(&subject) && choice_has_caller(&subject);
	/* Our own library, and the linker, which is running, are left alone. */
	object->is_patched = object->is_ours || map->l_addr == getauxval(AT_BASE);
	if (!is_started)
		restart_if_needed(&object->image);
	if (is_by_entry())
		return LA_FLG_BINDFROM | LA_FLG_BINDTO; /* for linker_memory.c */
	if (!*map->l_name)
		flip_learn_canonical(&object->image);
	object->symbolic = SYMBOLIC_UNKNOWN;
	if (object->is_caller) {
		flip(&object->image);
		flipped_read(&object->flipped, &object->image);
	}
	return LA_FLG_BINDFROM | LA_FLG_BINDTO;
}

static uint32_t id_of(struct object *object)
{
	if (object->id == NO_ID)
		object->id = runtime.object(&(struct runtime_object){
			.path = object->path,
			.soname = object->image.soname,
			.bias = object->image.map->l_addr,
			.start = object->image.start,
			.end = object->image.end,
		});
	return object->id;
}

static uint32_t id_for_entry(void *object)
{
	return id_of(object);
}

static void patch(struct object *object)
{
	const struct entry_runtime functions = { .bind = runtime.bind,
						 .add_island = runtime.island,
						 .lose = runtime.lose,
						 .image = runtime.image,
						 .counting =
							 (uint64_t)(uintptr_t)runtime.counting() };
	struct entry_object entry = { .image = &object->image,
				      .path = object->path,
				      .id = id_for_entry,
				      .argument = object };

	entry_patch(&entry, &functions);
	object->island = entry.island;
	object->is_patched = true;
}

/* Returns whether the linker has unmapped an object. At process exit it announces that objects are
 * closed, and others still call their functions. */
static bool is_gone(const struct object *object)
{
	const struct link_map *map = first_map;

	while (map && map != object->island.map)
		map = map->l_next;
	return !object->is_open && !map;
}

/* Patches an object that the linker has just mapped, or removes the island of one that is gone. */
static void update_entries(struct object *object)
{
	if (object->island.end && is_gone(object)) {
		runtime.no_island(&object->island);
		entry_unmap(&object->island);
		object->island = (struct runtime_island){ 0 };
	}
	if (object->is_open && !object->is_patched)
		patch(object);
}

/* Returns whether any object may be a caller, or an interpreter that runs one. */
static bool all_are_known(void)
{
	return choice_flags() & (is_by_entry() ? RECORD_BY_CALLER : RECORD_BY_SITE);
}

/* Does what has to be done about objects that the linker has just mapped or unmapped. */
static void update_all(void)
{
	sys_sigset mask;
	bool is_locked = take_lock(&mask);

	for (struct object *object = objects; object; object = object->next) {
		if (is_by_entry())
			update_entries(object);
		if (object->is_open && all_are_known())
			id_of(object);
	}
	if (is_locked)
		release_lock(&mask);
}

EXPORT void la_activity(uintptr_t *cookie, unsigned activity)
{
	(void)cookie;
	if (activity != LA_ACT_CONSISTENT || !objects)
		return;
	if (!is_started)
		attach_runtime();
	if (runtime.attached && (is_by_entry() || all_are_known()))
		update_all();
	linker_memory_end();
	is_started = true;
}

/* Returns the object that a function is reported for. */
static struct object *named_after(struct object *provider)
{
	return provider->is_ours && libc ? libc : provider;
}

/*
 * Returns the replacement for a function of the definer; symbol is its number, or 0. A resolver is
 * intercepted in any case; the caller may compare the addresses of others with those that the
 * definer has: see symbolic.h.
 */
static void *redirector(struct object *definer, void *target, size_t symbol, const char *name,
			bool is_compared)
{
	struct object *provider = named_after(definer);
	struct spec_subject subject = subject_of(provider);
	uint32_t resolver = resolvers_find(name);
	bool is_chosen;

	subject.symbol = name;
	is_chosen = (resolver || !is_compared) && choice_has(&subject);
	if ((!resolver && !is_chosen) || id_of(provider) == NO_ID)
		return target;
	return runtime.bind(&(struct runtime_function){
		.target = target,
		.object = provider->id,
		.flags = resolver || choice_counts_only(&subject) ? RECORD_COUNTED : 0,
		.symbol = name,
		.version = symbol ? image_version(&definer->image, symbol) : "",
		.resolver = resolver,
		.is_unseen = !is_chosen,
	});
}

/* Returns the open object that contains the address; NULL: none. */
static struct object *object_at(uintptr_t address)
{
	struct object *object = objects;

	while (object && !(object->is_open &&
			   address - object->image.start < object->image.end - object->image.start))
		object = object->next;
	return object;
}

static bool find_at(uintptr_t address, struct found_object *found)
{
	struct object *object = object_at(address);

	if (object)
		*found = (struct found_object){ .object = object,
						.image = &object->image,
						.subject = subject_of(object),
						.is_caller = object->is_caller,
						.is_ours = object->is_ours };
	return object;
}

static void *replace_found(void *object, void *target, size_t symbol, const char *name)
{
	return redirector(object, target, symbol, name, false);
}

static void *wrap_found(const struct runtime_found *found)
{
	static const struct found_list list = { find_at, replace_found };
	sys_sigset mask;
	bool is_locked = take_lock(&mask);
	void *result = found_wrap(&list, found);

	if (is_locked)
		release_lock(&mask);
	return result;
}

/*
 * Returns whether the caller may compare the address, and not only call it, with one that the
 * definer has: see symbolic.h.
 */
static bool needs_own_address(struct object *caller, struct object *definer, unsigned flags,
			      const char *name)
{
	return (flags & LA_SYMB_DLSYM || flipped_has(&caller->flipped, &caller->image, name)) &&
	       symbolic_has(&definer->image, &definer->symbolic);
}

EXPORT uintptr_t ARCH_LA_SYMBIND(ElfW(Sym) * symbol, unsigned index, uintptr_t *from, uintptr_t *to,
				 unsigned *flags, const char *name)
{
	struct object *caller = (struct object *)*from, *provider = (struct object *)*to;
	unsigned kind = ELF64_ST_TYPE(symbol->st_info);
	uintptr_t result = symbol->st_value;
	sys_sigset mask;
	bool is_locked;

	if (!is_started && *flags & LA_SYMB_DLSYM && linker_memory_has(name))
		return linker_memory_bind(name, result);
	attach_runtime();
	if (!runtime.attached || is_by_entry() || !caller || !provider || !caller->is_caller ||
	    !provider->is_provider)
		return result;
	/* An import with an address is the program's own PLT entry: see flip.c. */
	if ((kind != STT_FUNC && kind != STT_GNU_IFUNC) || !symbol->st_value ||
	    symbol->st_shndx == SHN_UNDEF || !relocation_can_be_wrapped(symbol->st_other))
		return result;
	is_locked = take_lock(&mask);
	if (id_of(caller) != NO_ID)
		result = (uintptr_t)redirector(provider, (void *)result, index, name,
					       needs_own_address(caller, provider, *flags, name));
	if (is_locked)
		release_lock(&mask);
	return result;
}

EXPORT unsigned la_objclose(uintptr_t *cookie)
{
	struct object *object = (struct object *)*cookie;
	sys_sigset mask;

	if (!object)
		return 0;
	/* Also for an object without a number: others may have cached its addresses. */
	if (runtime.attached) {
		bool is_locked = take_lock(&mask);

		runtime.forget(object->id);
		if (is_locked)
			release_lock(&mask);
	}
	object->is_open = false;
	return 0;
}
