/* SPDX-License-Identifier: MIT */
#include "page_data.h"

#include <stdlib.h>

#include "model/calls/sums.h"
#include "page_inside.h"

void page_data_number(uint64_t number, FILE *out)
{
	while (number >= 0x80) {
		putc_unlocked((int)(number & 0x7f) | 0x80, out);
		number >>= 7;
	}
	putc_unlocked((int)number, out);
}

/* Writes the difference to the previous number. Small steps either way become small numbers: 0, -1,
 * 1, -2 are 0, 1, 2, 3. */
static void write_step(uint64_t from, uint64_t to, FILE *out)
{
	uint64_t step = to - from;

	page_data_number(step << 1 ^ (step >> 63 ? UINT64_MAX : 0), out);
}

int page_samples_sort(struct page_samples *samples, const struct profile *profile, struct err *err)
{
	size_t *next = calloc(profile->thread_count + 1, sizeof(*next));

	*samples = (struct page_samples){
		.list = calloc(profile->sample_count + 1, sizeof(*samples->list)),
		.of_thread = calloc(profile->thread_count + 1, sizeof(*samples->of_thread)),
	};
	if (!next || !samples->list || !samples->of_thread) {
		free(next);
		page_samples_free(samples);
		return err_no_memory(err);
	}
	for (size_t i = 0; i < profile->sample_count; i++)
		samples->of_thread[profile->stacks[profile->samples[i].stack].thread]++;
	for (size_t i = 0; i < profile->thread_count; i++)
		next[i + 1] = next[i] + samples->of_thread[i];
	for (size_t i = 0; i < profile->sample_count; i++) {
		uint32_t thread = profile->stacks[profile->samples[i].stack].thread;

		samples->list[next[thread]++] = &profile->samples[i];
	}
	samples->count = profile->sample_count;
	free(next);
	return 0;
}

void page_samples_free(struct page_samples *samples)
{
	free(samples->list);
	free(samples->of_thread);
	*samples = (struct page_samples){ 0 };
}

/* Writes how many levels above the previous node each parent is, and then all functions. */
static void write_tree(const struct stack_tree *tree, FILE *out)
{
	for (size_t i = 1; i < tree->count; i++)
		page_data_number(tree->nodes[i - 1].depth + 1 - tree->nodes[i].depth, out);
	for (size_t i = 1; i < tree->count; i++)
		page_data_number(tree->nodes[i].function, out);
}

/* Writes times in microseconds, which is finer than any sampling, and a byte shorter. */
static void write_samples(const struct page_samples *samples, const struct stack_tree *tree,
			  FILE *out)
{
	uint64_t before = 0;

	for (size_t i = 0; i < samples->count; i++) {
		uint64_t time = samples->list[i]->time_ns / 1000;

		write_step(before, time, out);
		before = time;
	}
	for (size_t i = 0; i < samples->count; i++)
		page_data_number(tree->places[samples->list[i]->stack], out);
	before = 0;
	for (size_t i = 0; i < samples->count; i++) {
		write_step(before, samples->list[i]->ns, out);
		before = samples->list[i]->ns;
	}
	for (size_t i = 0; i < samples->count; i++)
		page_data_number(samples->list[i]->is_blocked, out);
}

/* Writes the region of each sample, which few recordings have. */
static void write_regions(const struct profile *profile, const struct page_samples *samples,
			  FILE *out)
{
	for (size_t i = 0; i < samples->count && profile_regions_exist(&profile->regions); i++)
		page_data_number(profile->stacks[samples->list[i]->stack].region, out);
}

/* Writes the non-empty bins of each row: their number, and each by its distance from the previous
 * one. Sampled calls stand for many, so counts need not be whole; fractions are dropped, because
 * they cannot be seen. */
static void write_histogram(const struct calls_sums *sums, FILE *out)
{
	const struct histogram *histogram = sums ? &sums->histogram : NULL;
	uint64_t used = 0;
	size_t before = 0;

	for (size_t i = 0; histogram && i < HISTOGRAM_BINS; i++)
		used += histogram->bins[i] > 0;
	page_data_number(used, out);
	for (size_t i = 0; used && i < HISTOGRAM_BINS; i++) {
		double count = histogram->bins[i];

		if (count <= 0)
			continue;
		page_data_number(i - before, out);
		page_data_number(count < 9e15 ? (uint64_t)(count + 0.5) : UINT64_C(1) << 53, out);
		before = i;
	}
}

/* Data preceded by its size, which is known only afterwards. */
struct sized {
	char *text;
	size_t size;
	FILE *out;
};

static int sized_open(struct sized *sized, struct err *err)
{
	*sized = (struct sized){ 0 };
	sized->out = open_memstream(&sized->text, &sized->size);
	return sized->out ? 0 : err_no_memory(err);
}

/* Writes the data unless making it failed. Returns the status. */
static int sized_close(struct sized *sized, int status, FILE *out, struct err *err)
{
	if (fclose(sized->out) && !status)
		status = err_no_memory(err);
	if (!status) {
		page_data_number(sized->size, out);
		fwrite(sized->text, 1, sized->size, out);
	}
	free(sized->text);
	return status;
}

static int write_head(const struct page_source *source, const struct stack_tree *tree,
		      const struct page_samples *samples, FILE *out, struct err *err)
{
	struct sized sized;
	int status = sized_open(&sized, err);

	if (status)
		return status;
	status = page_head_write(source, tree, samples, sized.out, err);
	return sized_close(&sized, status, out, err);
}

static int write_inside(const struct page_source *source, FILE *out, struct err *err)
{
	struct sized sized;
	int status = sized_open(&sized, err);

	if (status)
		return status;
	status = page_inside_write(source, sized.out, err);
	return sized_close(&sized, status, out, err);
}

static int write_all(const struct page_source *source, const struct stack_tree *tree,
		     const struct page_samples *samples, FILE *out, struct err *err)
{
	int status = write_head(source, tree, samples, out, err);

	if (status)
		return status;
	write_tree(tree, out);
	write_samples(samples, tree, out);
	write_regions(source->profile, samples, out);
	for (size_t i = 0; i < source->calls->count; i++)
		write_histogram(source->calls->rows[i].sums, out);
	return write_inside(source, out, err);
}

int page_data_write(const struct page_source *source, FILE *out, struct err *err)
{
	struct stack_tree tree = { 0 };
	struct page_samples samples = { 0 };
	int status = source->profile ? stack_tree_make(&tree, source->profile, err) : 0;

	if (!status && source->profile)
		status = page_samples_sort(&samples, source->profile, err);
	if (!status)
		status = write_all(source, &tree, &samples, out, err);
	page_samples_free(&samples);
	stack_tree_free(&tree);
	return status;
}
