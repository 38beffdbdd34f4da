/* SPDX-License-Identifier: MIT */
#include "attach/event.h"

#include <string.h>

#include "perf_regs.h"

#define REGISTERS __builtin_popcountll(ARCH_PERF_REGS)

/* The fields behind every event other than a sample (sample_id_all), and in a sample behind its ip.
 */
struct stamp {
	uint32_t pid, tid;
	uint64_t time, id;
};

struct sample_head {
	struct perf_event_header header;
	uint64_t ip;
	struct stamp stamp;
};

struct map_head {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[];
};

struct task_head {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};

struct name_head {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[];
};

struct lost_head {
	struct perf_event_header header;
	uint64_t id, lost;
};

struct lost_samples_head {
	struct perf_event_header header;
	uint64_t lost;
};

/* Returns the stamp of any event; NULL: too short. */
static const struct stamp *stamp_of(const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return header->size >= sizeof(struct sample_head)
			       ? &((const struct sample_head *)header)->stamp
			       : NULL;
	if (header->size < sizeof(*header) + sizeof(struct stamp))
		return NULL;
	return (const struct stamp *)((const char *)header + header->size - sizeof(struct stamp));
}

bool event_time(const struct perf_event_header *header, uint64_t *time)
{
	const struct stamp *stamp = stamp_of(header);

	if (stamp)
		*time = stamp->time;
	return stamp;
}

/* Takes a number from the rest of an event. */
static bool take_word(const char **at, const char *end, uint64_t *word)
{
	if ((size_t)(end - *at) < sizeof(*word))
		return false;
	memcpy(word, *at, sizeof(*word));
	*at += sizeof(*word);
	return true;
}

/* Decodes the part behind the registers: the requested size, as many bytes, and the number of valid
 * ones. */
static bool decode_stack(struct event_sample *sample, const char *at, const char *end)
{
	uint64_t asked, good;

	if (!take_word(&at, end, &asked))
		return false;
	if (!asked)
		return true;
	if (asked > (size_t)(end - at) || (size_t)(end - at) - asked < sizeof(good))
		return false;
	memcpy(&good, at + asked, sizeof(good));
	if (good > asked)
		return false;
	sample->stack = at;
	sample->stack_bytes = (size_t)good;
	sample->is_cut = good == asked;
	return true;
}

/* Decodes the addresses of the kernel: their number, and each. */
static bool decode_chain(struct event_sample *sample, const char **at, const char *end)
{
	uint64_t count;

	if (!take_word(at, end, &count) || count > (size_t)(end - *at) / sizeof(uint64_t))
		return false;
	sample->chain = (const uint64_t *)*at;
	sample->chain_count = (size_t)count;
	*at += count * sizeof(uint64_t);
	return true;
}

static bool decode_sample(struct event *event, const struct perf_event_header *header,
			  const struct event_form *form)
{
	const struct sample_head *head = (const struct sample_head *)header;
	const char *at = (const char *)(head + 1), *end = (const char *)header + header->size;
	struct event_sample *sample = &event->sample;
	size_t bytes = (size_t)REGISTERS * sizeof(uint64_t);

	*sample = (struct event_sample){ .period = form->period };
	if (!form->period && !take_word(&at, end, &sample->period))
		return false;
	if (form->has_chain && !decode_chain(sample, &at, end))
		return false;
	if (!take_word(&at, end, &sample->abi))
		return false;
	if (sample->abi) {
		if ((size_t)(end - at) < bytes)
			return false;
		sample->registers = (const uint64_t *)at;
		at += bytes;
	}
	return !form->has_stack || decode_stack(sample, at, end);
}

/* Returns true if the text between the head of an event and its stamp is valid. */
static bool has_text(const struct perf_event_header *header, const char *text)
{
	const char *end = (const char *)stamp_of(header);

	return text < end && memchr(text, '\0', (size_t)(end - text));
}

static bool decode_map(struct event *event, const struct perf_event_header *header)
{
	const uint32_t executable = 4; /* PROT_EXEC */
	const struct map_head *head = (const struct map_head *)header;

	if (header->size < sizeof(*head) || !has_text(header, head->path))
		return false;
	event->pid = (pid_t)head->pid;
	event->tid = (pid_t)head->tid;
	event->map = (struct event_map){ .start = head->start,
					 .size = head->size,
					 .offset = head->offset,
					 .inode = head->inode,
					 .is_executable = head->protection & executable,
					 .path = head->path };
	return head->size && head->start + head->size > head->start;
}

static bool decode_task(struct event *event, const struct perf_event_header *header)
{
	const struct task_head *head = (const struct task_head *)header;

	if (header->size < sizeof(*head) + sizeof(struct stamp))
		return false;
	event->pid = (pid_t)head->pid;
	event->tid = (pid_t)head->tid;
	event->parent_pid = (pid_t)head->parent_pid;
	event->parent_tid = (pid_t)head->parent_tid;
	return true;
}

static bool decode_name(struct event *event, const struct perf_event_header *header)
{
	const struct name_head *head = (const struct name_head *)header;

	if (header->size < sizeof(*head) || !has_text(header, head->name))
		return false;
	event->pid = (pid_t)head->pid;
	event->tid = (pid_t)head->tid;
	event->name = head->name;
	return true;
}

uint64_t event_sample_type(const struct event_form *form)
{
	return PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
	       PERF_SAMPLE_REGS_USER | (form->period ? 0 : PERF_SAMPLE_PERIOD) |
	       (form->has_chain ? PERF_SAMPLE_CALLCHAIN : 0) |
	       (form->has_stack ? PERF_SAMPLE_STACK_USER : 0);
}

bool event_decode(struct event *event, const struct perf_event_header *header,
		  const struct event_form *form)
{
	const struct stamp *stamp = stamp_of(header);

	if (!stamp)
		return false;
	*event = (struct event){ .type = header->type,
				 .misc = header->misc,
				 .pid = (pid_t)stamp->pid,
				 .tid = (pid_t)stamp->tid,
				 .time = stamp->time,
				 .id = stamp->id };
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		return decode_sample(event, header, form);
	case PERF_RECORD_MMAP2:
		return decode_map(event, header);
	case PERF_RECORD_COMM:
		return decode_name(event, header);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return decode_task(event, header);
	case PERF_RECORD_LOST:
		event->lost = ((const struct lost_head *)header)->lost;
		return header->size >= sizeof(struct lost_head) + sizeof(*stamp);
	case PERF_RECORD_LOST_SAMPLES:
		event->lost = ((const struct lost_samples_head *)header)->lost;
		return header->size >= sizeof(struct lost_samples_head) + sizeof(*stamp);
	default:
		return false;
	}
}
