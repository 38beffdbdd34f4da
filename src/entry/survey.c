/* SPDX-License-Identifier: MIT */
#include "entry/survey.h"

#include <errno.h>

#include "entry/xz.h"
#include "unwind/fde.h"
#include "unwind/objects.h"
#include "unwind/program.h"
#include "unwind/search.h"

#define PADDING    16          /* bytes between two functions, at most */
#define OWN_FRAMES (256 << 10) /* bytes of code: V8 has a megabyte, assembly of libcrypto 90 KB */

static bool read_nothing(void *context, uintptr_t address, void *to, size_t size)
{
	(void)context;
	(void)address;
	(void)to;
	(void)size;
	return false;
}

static int make_table(struct survey *survey)
{
	const struct view *view = &survey->view;
	struct object object = { .headers = view->segments,
				 .header_count = view->segment_count,
				 .file = view->bytes };

	survey->table =
		scratch_take(&survey->scratch,
			     sizeof(*survey->table) + view->segment_count * sizeof(struct mapping));
	if (!survey->table)
		return -ENOMEM;
	survey->table->capacity = (uint32_t)view->segment_count;
	survey->memory = (struct memory){ .read = read_nothing, .table = survey->table };
	return table_add_object(survey->table, &object);
}

/* Finds the call frame information of an address; returns false if there is none. */
static bool find_fde(const struct survey *survey, uint64_t address, struct fde *fde,
		     struct unwind_data *data)
{
	const struct mapping *mapping = table_find(survey->table, address);

	return mapping && search_fde(&survey->memory, mapping, address, fde, data) == 0;
}

static bool is_plain(const struct row *row)
{
	if (row->cfa != ROW_CFA_REGISTER)
		return false;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (row->how[i] != ROW_UNSAID && row->how[i] != ROW_SAME &&
		    (row->how[i] != ROW_AT_OFFSET || row->value[i] % ARCH_ENTRY_WORD))
			return false;
	return true;
}

bool survey_row(const struct survey *survey, const struct survey_function *function,
		uint64_t offset, struct row *row)
{
	struct unwind_data data;
	struct fde fde;

	return find_fde(survey, function->address + offset, &fde, &data) &&
	       program_run(&data, &fde, function->address + offset, row) == 0 && is_plain(row);
}

/* Returns whether the row is that of a function that was just called. */
static bool is_called_row(const struct row *row)
{
	if (row->cfa != ROW_CFA_REGISTER || row->cfa_register != ARCH_ENTRY_CFA_REGISTER ||
	    row->cfa_value != ARCH_ENTRY_CFA_OFFSET)
		return false;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		if (i != ARCH_FRAME_LINK && row->how[i] != ROW_UNSAID && row->how[i] != ROW_SAME)
			return false;
	return row_has_link(row, ARCH_FRAME_LINK) ||
	       (row->how[ARCH_FRAME_LINK] == ROW_AT_OFFSET &&
		row->value[ARCH_FRAME_LINK] == -ARCH_ENTRY_WORD &&
		ARCH_FRAME_LINK == ARCH_FRAME_PC);
}

static bool has_flag(const struct survey_function *function, uint8_t flag)
{
	for (size_t i = 0; i < function->name_count; i++)
		if (function->names[i].flags & flag)
			return true;
	return false;
}

/* Returns whether a compiler has named it as the rarely used part of a function. */
static bool is_cold(const char *text)
{
	static const char cold[] = ".cold";

	for (; text && *text; text++) {
		size_t i = 0;

		while (cold[i] && text[i] == cold[i])
			i++;
		if (!cold[i] && (!text[i] || text[i] == '.'))
			return true;
	}
	return false;
}

const uint8_t *survey_code(const struct survey *survey, const struct survey_function *function,
			   uint8_t room[ARCH_ENTRY_ROOM])
{
	const Elf64_Phdr *segment = view_code_segment(&survey->view, function->address);

	return view_code(&survey->view, segment, function->address, room);
}

/* Returns whether it is an entry of a PLT. */
static bool is_linkage(const struct survey *survey, const struct survey_function *function)
{
	uint8_t room[ARCH_ENTRY_ROOM];
	uintptr_t slot;

	return arch_plt_slot(survey_code(survey, function, room), function->address, NULL, &slot);
}

/* Returns whether it is not a function of its own: nothing calls it, or it is an entry of a PLT. */
static bool is_part(const struct survey *survey, const struct survey_function *function)
{
	if (function->names[0].text)
		return is_cold(function->names[0].text);
	return !targets_is_called(&survey->targets, function->address) ||
	       is_linkage(survey, function);
}

/* Checks by its call frame information that the function is called as others are. */
static enum entry_refusal check_frame(const struct survey *survey, struct survey_function *function)
{
	struct unwind_data data;
	struct row row;
	struct fde fde;

	function->is_framed = find_fde(survey, function->address, &fde, &data);
	if (!function->is_framed)
		return has_flag(function, NAME_EXPORTED) ? ENTRY_FINE : ENTRY_PRIVATE;
	if (fde.cie.signal || program_run(&data, &fde, function->address, &row) ||
	    !is_called_row(&row))
		return ENTRY_UNCALLED;
	return ENTRY_FINE;
}

/* Checks that the call frame information of the replaced instructions can be written anew. */
static enum entry_refusal check_rows(const struct survey *survey,
				     const struct survey_function *function)
{
	const struct arch_entry *entry = &function->entry;
	struct row row;

	if (!function->is_framed)
		return ENTRY_FINE;
	for (unsigned i = 0; i < entry->count; i++)
		if (!survey_row(survey, function, entry->at[i], &row))
			return ENTRY_FRAMES;
	return entry->returns && !survey_row(survey, function, entry->end, &row) ? ENTRY_FRAMES
										 : ENTRY_FINE;
}

/* Returns whether a program can copy the function elsewhere, and call the copy: its code does not
 * depend on where it is, and its address is known to more than its callers. */
static bool is_copyable(const struct survey *survey, const struct survey_function *function,
			const struct targets_function *body)
{
	return !body->is_tied && (has_flag(function, NAME_EXPORTED) ||
				  targets_is_taken(&survey->targets, function->address));
}

/* Finds the bytes that a jump can replace. */
static enum entry_refusal check_code(const struct survey *survey, struct survey_function *function,
				     unsigned jump, uint64_t next)
{
	uint64_t address = function->address;
	uint8_t room[ARCH_ENTRY_ROOM];
	enum entry_refusal refusal =
		arch_entry_plan(&function->entry, survey_code(survey, function, room), address,
				function->size, jump);

	if (refusal)
		return refusal;
	if (next - address < function->entry.end)
		return ENTRY_SHORT;
	if (targets_has(&survey->targets, address + 1, address + function->entry.end))
		return ENTRY_INTO;
	return check_rows(survey, function);
}

static enum entry_refusal check(const struct survey *survey, struct survey_function *function,
				const struct targets_function *body, uint64_t next)
{
	uint64_t address = function->address;
	enum entry_refusal refusal;

	if (address == survey->view.head->e_entry)
		return ENTRY_UNCALLED;
	if (has_flag(function, NAME_RESOLVER))
		return ENTRY_CHOSEN;
	if (is_part(survey, function))
		return ENTRY_PART;
	if (has_flag(function, NAME_VARIANT))
		return ENTRY_PRIVATE;
	refusal = check_frame(survey, function);
	if (refusal)
		return refusal;
	if (body->is_loop)
		return ENTRY_LOOP;
	/* A call that it makes without a frame looks as if it was over: see runtime/calls/slots.c.
	 */
	if (body->keeps)
		return ENTRY_KEEPING;
	refusal = check_code(survey, function, ARCH_ENTRY_JUMP, next);
	if (refusal || !is_copyable(survey, function, body))
		return refusal;
	return check_code(survey, function, ARCH_ENTRY_FIXED, next) ? ENTRY_COPYABLE : ENTRY_FINE;
}

static uint64_t size_of(const struct survey *survey, const struct survey_function *function,
			uint64_t next)
{
	struct unwind_data data;
	struct fde fde;

	for (size_t i = 0; i < function->name_count; i++)
		if (function->names[i].size)
			return function->names[i].size;
	if (find_fde(survey, function->address, &fde, &data))
		return fde.end - function->address;
	return next - function->address;
}

/* Joins the names of each address. */
static int make_functions(struct survey *survey)
{
	const struct entry_names *names = &survey->names;
	struct survey_function *function = NULL;

	survey->functions =
		scratch_take(&survey->scratch, (names->count + 1) * sizeof(*survey->functions));
	if (!survey->functions)
		return -ENOMEM;
	for (size_t i = 0; i < names->count; i++) {
		if (!function || function->address != names->list[i].address) {
			function = &survey->functions[survey->count++];
			function->address = names->list[i].address;
			function->names = &names->list[i];
		}
		function->name_count++;
	}
	return 0;
}

/* Returns where the next function begins, or where the code ends. */
static uint64_t next_of(const struct survey *survey, size_t i)
{
	const struct survey_function *function = &survey->functions[i];
	const Elf64_Phdr *segment = view_code_segment(&survey->view, function->address);
	uint64_t end = view_code_end(&survey->view, segment, function->address);

	if (i + 1 < survey->count && survey->functions[i + 1].address < end)
		end = survey->functions[i + 1].address;
	return end;
}

/* Returns how many bytes from the function to the next have no call frame information. */
static uint64_t unframed_of(const struct survey *survey, const struct survey_function *function,
			    uint64_t next)
{
	struct unwind_data data;
	struct fde fde;

	if (!find_fde(survey, function->address, &fde, &data))
		return next - function->address;
	return fde.end < next ? next - fde.end : 0;
}

static int check_all(struct survey *survey)
{
	struct targets_function *bodies =
		scratch_take(&survey->scratch, (survey->count + 1) * sizeof(*bodies));
	int err;

	if (!bodies)
		return -ENOMEM;
	for (size_t i = 0; i < survey->count; i++) {
		struct survey_function *function = &survey->functions[i];
		uint8_t room[ARCH_ENTRY_ROOM];
		unsigned skip = arch_entry_skip(survey_code(survey, function, room));

		function->size = size_of(survey, function, next_of(survey, i));
		bodies[i] = (struct targets_function){ .address = function->address,
						       .end = function->address + function->size,
						       .skip = skip };
	}
	err = targets_read(&survey->targets, &survey->view, bodies, survey->count,
			   &survey->scratch);
	for (size_t i = 0; i < survey->count && !err; i++) {
		struct survey_function *function = &survey->functions[i];
		uint64_t next = next_of(survey, i);

		function->refusal = check(survey, function, &bodies[i], next);
		survey->unframed += unframed_of(survey, function, next);
	}
	return err;
}

/* Reads the symbols that some systems leave in a stripped file, packed. */
static void read_packed_debug(struct survey *survey)
{
	size_t size, unpacked;
	const uint8_t *packed = view_section(&survey->view, ".gnu_debugdata", &size);
	const uint8_t *bytes = packed ? xz_unpack(packed, size, &survey->scratch, &unpacked) : NULL;

	if (bytes && view_read(&survey->debug, bytes, unpacked))
		survey->debug = (struct view){ 0 };
}

/* Reads the file of survey->view. */
static int read_view(struct survey *survey)
{
	int err = view_is_whole(&survey->view) ? make_table(survey) : -ENOEXEC;

	if (!err && !survey->is_debug_opened)
		read_packed_debug(survey);
	if (!err)
		err = entry_names_read(&survey->names, &survey->view,
				       survey->debug.bytes ? &survey->debug : NULL,
				       &survey->scratch);
	if (!err)
		err = make_functions(survey);
	return err ? err : check_all(survey);
}

int survey_read(struct survey *survey, const void *bytes, size_t size)
{
	int err;

	*survey = (struct survey){ 0 };
	err = view_read(&survey->view, bytes, size);
	if (!err)
		err = read_view(survey);
	if (err)
		scratch_free(&survey->scratch);
	return err;
}

int survey_open(struct survey *survey, const char *path)
{
	char debug_path[VIEW_DEBUG_PATH];
	int err;

	*survey = (struct survey){ 0 };
	err = view_open(&survey->view, path);
	if (err)
		return err;
	survey->is_opened = true;
	if (view_debug_path(&survey->view, debug_path))
		survey->is_debug_opened = view_open(&survey->debug, debug_path) == 0;
	err = read_view(survey);
	if (err)
		survey_close(survey);
	return err;
}

void survey_close(struct survey *survey)
{
	if (survey->is_debug_opened)
		view_close(&survey->debug);
	if (survey->is_opened)
		view_close(&survey->view);
	scratch_free(&survey->scratch);
}

bool survey_has_own_frames(const struct survey *survey)
{
	return survey->unframed > survey->count * PADDING + OWN_FRAMES;
}

const char *survey_name(const struct survey_function *function, size_t i, char room[SURVEY_NAME])
{
	static const char digits[] = "0123456789abcdef";
	unsigned shift = 60;
	char *at = room;

	if (function->names[i].text)
		return function->names[i].text;
	*at++ = 'f';
	*at++ = 'n';
	*at++ = '_';
	while (shift && !(function->address >> shift))
		shift -= 4;
	for (; shift; shift -= 4)
		*at++ = digits[function->address >> shift & 15];
	*at++ = digits[function->address & 15];
	*at = '\0';
	return room;
}
