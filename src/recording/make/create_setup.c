/* SPDX-License-Identifier: MIT */
#include "create_setup.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t event_bytes(const struct pmu_event *event)
{
	return event ? (sizeof(struct record_event) + strlen(event->name) + 8) & ~(size_t)7 : 0;
}

static char *put_event(char *at, const struct create_options *options)
{
	const struct pmu_event *event = options->event;
	struct record_event *item = (struct record_event *)at;

	if (!event)
		return at;
	item->item.kind = RECORD_EVENT;
	item->item.size = (uint32_t)event_bytes(event);
	item->type = event->type;
	item->flags = (event->no_user ? RECORD_EVENT_NO_USER : 0) |
		      (event->no_kernel ? RECORD_EVENT_NO_KERNEL : 0);
	memcpy(item->config, event->config, sizeof(item->config));
	item->period = options->period;
	strcpy(item->text, event->name);
	return at + item->item.size;
}

static size_t spec_bytes(const struct spec *spec)
{
	size_t bytes = sizeof(struct record_spec) + strlen(spec->text) + 1;

	return (bytes + 7) & ~(size_t)7;
}

static size_t specs_bytes(const struct spec_list *specs)
{
	size_t bytes = 0;

	for (size_t i = 0; specs && i < specs->count; i++)
		bytes += spec_bytes(&specs->specs[i]);
	return bytes;
}

static char *put_specs(char *at, const struct spec_list *specs, enum record_spec_role role)
{
	for (size_t i = 0; specs && i < specs->count; i++) {
		struct record_spec *spec = (struct record_spec *)at;
		size_t bytes = spec_bytes(&specs->specs[i]);

		spec->item.kind = RECORD_SPEC;
		spec->item.size = (uint32_t)bytes;
		spec->role = role;
		strcpy(spec->text, specs->specs[i].text);
		at += bytes;
	}
	return at;
}

static size_t label_bytes(const struct label *label)
{
	size_t bytes = sizeof(struct record_label) + strlen(label->key) + strlen(label->value) + 2;

	return (bytes + 7) & ~(size_t)7;
}

static size_t labels_bytes(const struct label_list *labels)
{
	size_t bytes = 0;

	for (size_t i = 0; labels && i < labels->count; i++)
		bytes += label_bytes(&labels->labels[i]);
	return bytes;
}

static void put_labels(char *at, const struct label_list *labels)
{
	for (size_t i = 0; labels && i < labels->count; i++) {
		const struct label *label = &labels->labels[i];
		struct record_label *item = (struct record_label *)at;

		item->item.kind = RECORD_LABEL;
		item->item.size = (uint32_t)label_bytes(label);
		strcpy(stpcpy(item->text, label->key) + 1, label->value);
		at += item->item.size;
	}
}

/* Returns the kernel's own tick, which is the resolution of its coarse clocks; 0: unknown. */
static uint64_t kernel_tick_ns(void)
{
	struct timespec tick;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ? 0 : (uint64_t)tick.tv_nsec;
}

struct record_segment *create_setup(const struct create_options *options)
{
	size_t bytes = sizeof(struct record_segment) + event_bytes(options->event) +
		       specs_bytes(options->chosen) + specs_bytes(options->excluded) +
		       specs_bytes(options->from) + labels_bytes(options->labels);
	size_t grains = (bytes + RECORD_GRAIN - 1) / RECORD_GRAIN;
	struct record_segment *setup = calloc(grains, RECORD_GRAIN);
	char *at = (char *)(setup + 1);

	if (!setup)
		return NULL;
	setup->mark = RECORD_SEGMENT_MARK;
	setup->kind = RECORD_SETUP;
	setup->size = grains * RECORD_GRAIN;
	setup->tick_ns = kernel_tick_ns();
	at = put_event(at, options);
	at = put_specs(at, options->chosen, RECORD_CHOOSE);
	at = put_specs(at, options->excluded, RECORD_EXCLUDE);
	at = put_specs(at, options->from, RECORD_FROM);
	/* Behind the specs: the targets read them up to the first item of another kind. */
	put_labels(at, options->labels);
	return setup;
}
