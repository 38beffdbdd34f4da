/* SPDX-License-Identifier: MIT */
#include "perf_record.h"

#include <string.h>

/* PERF_FORMAT_LOST, which the headers of older kernels lack. */
#define FORMAT_LOST (1u << 4)

/* Returns how many numbers stand behind each record that is not a sample. */
static size_t trailer_of(const struct perf_event_attr *attr, uint64_t *before_time,
			 uint64_t *before_id)
{
	static const uint64_t fields[] = { PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
					   PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
					   PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	size_t count = 0;

	*before_time = *before_id = UINT64_MAX;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!(attr->sample_type & fields[i]))
			continue;
		if (fields[i] == PERF_SAMPLE_TIME)
			*before_time = count;
		if (fields[i] == PERF_SAMPLE_ID || fields[i] == PERF_SAMPLE_IDENTIFIER)
			*before_id = count;
		count++;
	}
	return attr->sample_id_all ? count : 0;
}

static uint64_t number_at(const struct perf_part *part, size_t index)
{
	struct perf_part rest = *part;

	perf_part_take(&rest, index * sizeof(uint64_t));
	return perf_part_u64(&rest);
}

static uint32_t event_of(const struct perf_file *perf, uint64_t id)
{
	const uint32_t *event = hash_find(&perf->by_id, id);

	return event ? *event : HASH_NONE;
}

/* Finds event and time of a sample. All events of a file have the fields up to their id in common.
 */
static void stamp_sample(const struct perf_file *perf, struct perf_record *record)
{
	uint64_t type = perf->events[0].attr.sample_type;
	struct perf_part body = record->body;
	bool has_id = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
	uint64_t id = 0;

	if (type & PERF_SAMPLE_IDENTIFIER)
		id = perf_part_u64(&body);
	if (type & PERF_SAMPLE_IP)
		perf_part_u64(&body);
	if (type & PERF_SAMPLE_TID)
		perf_part_u64(&body);
	if (type & PERF_SAMPLE_TIME)
		record->time = perf_part_u64(&body);
	if (type & PERF_SAMPLE_ADDR)
		perf_part_u64(&body);
	if (type & PERF_SAMPLE_ID)
		id = perf_part_u64(&body);
	if (perf->event_count == 1)
		record->event = 0;
	else
		record->event = has_id ? event_of(perf, id) : HASH_NONE;
}

/* Cuts the trailer off a record of the kernel, and takes its time. */
static void stamp_other(const struct perf_file *perf, struct perf_record *record)
{
	uint64_t before_time, before_id;
	size_t count = trailer_of(&perf->events[0].attr, &before_time, &before_id);
	size_t size = count * sizeof(uint64_t);
	struct perf_part trailer;

	if (record->body.size < size)
		return;
	record->body.size -= size;
	trailer = (struct perf_part){ record->body.bytes + record->body.size, size };
	if (count && before_time < count)
		record->time = number_at(&trailer, before_time);
	if (count && before_id < count)
		record->event = event_of(perf, number_at(&trailer, before_id));
}

/* Cuts off data that stands behind its record, as that of a CPU's trace does. */
static bool skip_behind(const struct perf_record *record, struct perf_part *data)
{
	struct perf_part body = record->body;
	size_t size = 0;

	if (record->header.type == PERF_RECORD_OWN_AUXTRACE)
		size = (size_t)perf_part_u64(&body);
	else if (record->header.type == PERF_RECORD_OWN_TRACING)
		size = ((size_t)perf_part_u32(&body) + 7) & ~(size_t)7;
	return perf_part_take(data, size);
}

int perf_record_cut(const struct perf_file *perf, struct perf_part *data,
		    struct perf_record *record, struct err *err)
{
	const void *head;

	if (data->size == 0)
		return 0;
	*record = (struct perf_record){ .event = HASH_NONE };
	head = perf_part_take(data, sizeof(record->header));
	if (head)
		memcpy(&record->header, head, sizeof(record->header));
	if (!head || record->header.size < sizeof(record->header) ||
	    record->header.size - sizeof(record->header) > data->size)
		return import_damaged(perf->file, "a record does not fit", err);
	record->body.size = record->header.size - sizeof(record->header);
	record->body.bytes = perf_part_take(data, record->body.size);
	if (!skip_behind(record, data))
		return import_damaged(perf->file, "a trace does not fit", err);
	return 1;
}

int perf_record_next(const struct perf_file *perf, struct perf_part *data,
		     struct perf_record *record, struct err *err)
{
	int status = perf_record_cut(perf, data, record, err);

	if (status <= 0)
		return status;
	if (record->header.type == PERF_RECORD_SAMPLE)
		stamp_sample(perf, record);
	else if (record->header.type < PERF_RECORD_MAX)
		stamp_other(perf, record);
	return 1;
}

/* Skips counters that were read with a sample. */
static void skip_read(struct perf_part *body, uint64_t format)
{
	size_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
		       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	size_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & FORMAT_LOST);
	uint64_t count = format & PERF_FORMAT_GROUP ? perf_part_u64(body) : 1;

	if (count > body->size / sizeof(uint64_t))
		count = body->size / sizeof(uint64_t);
	perf_part_take(body, (times + count * each) * sizeof(uint64_t));
}

/* Cuts the fields off that stand before registers. */
static void skip_to_registers(struct perf_part *body, const struct perf_event_attr *attr)
{
	if (attr->sample_type & PERF_SAMPLE_RAW)
		perf_part_take(body, perf_part_u32(body));
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		uint64_t count = perf_part_u64(body);

		if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
			perf_part_u64(body);
		if (count > body->size / sizeof(struct perf_branch_entry))
			count = body->size / sizeof(struct perf_branch_entry);
		perf_part_take(body, count * sizeof(struct perf_branch_entry));
	}
}

/* Takes registers and the copy of the stack; false: they do not fit. */
static bool take_copy(struct perf_part *body, const struct perf_event_attr *attr,
		      struct perf_sample *sample)
{
	size_t words = (size_t)__builtin_popcountll(attr->sample_regs_user);
	uint64_t asked, valid;

	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		sample->abi = perf_part_u64(body);
	if (sample->abi) {
		sample->registers.size = words * sizeof(uint64_t);
		sample->registers.bytes = perf_part_take(body, sample->registers.size);
		if (!sample->registers.bytes)
			return false;
	}
	if (!(attr->sample_type & PERF_SAMPLE_STACK_USER))
		return true;
	asked = perf_part_u64(body);
	if (!asked)
		return true;
	sample->copy.bytes = perf_part_take(body, (size_t)asked);
	if (!sample->copy.bytes || body->size < sizeof(valid))
		return false;
	valid = perf_part_u64(body);
	sample->copy.size = (size_t)(valid < asked ? valid : asked);
	sample->is_cut = valid >= asked;
	return true;
}

bool perf_record_sample(const struct perf_file *perf, const struct perf_record *record,
			struct perf_sample *sample)
{
	const struct perf_event_attr *attr = &perf->events[record->event].attr;
	uint64_t type = attr->sample_type;
	struct perf_part body = record->body;

	*sample = (struct perf_sample){ .period = attr->freq ? 1 : attr->sample_period };
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_part_u64(&body);
	if (type & PERF_SAMPLE_IP)
		sample->ip = perf_part_u64(&body);
	if (type & PERF_SAMPLE_TID) {
		sample->pid = perf_part_u32(&body);
		sample->tid = perf_part_u32(&body);
	}
	for (uint64_t field = PERF_SAMPLE_TIME; field <= PERF_SAMPLE_STREAM_ID; field <<= 1) {
		static const uint64_t numbers = PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
						PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

		/* These stand in the order of their bits, but for two that follow others. */
		if (type & field & numbers)
			perf_part_u64(&body);
	}
	if (type & PERF_SAMPLE_CPU)
		perf_part_u64(&body);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = perf_part_u64(&body);
	if (type & PERF_SAMPLE_READ)
		skip_read(&body, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (body.size < sizeof(uint64_t))
			return false;
		sample->depth = perf_part_u64(&body);
	}
	if (sample->depth > body.size / sizeof(uint64_t))
		return false;
	sample->stack.size = sample->depth * sizeof(uint64_t);
	sample->stack.bytes = perf_part_take(&body, sample->stack.size);
	skip_to_registers(&body, attr);
	return take_copy(&body, attr, sample);
}
