/* SPDX-License-Identifier: MIT */
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "page_data.h"

/* The place of the data in the template. */
#define MARK "<!-- data -->"

/* Encodes as base64, which cannot contain the end of an element, whatever functions are called. */
static void write_base64(const unsigned char *bytes, size_t size, FILE *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16;

		if (i + 1 < size)
			group |= (uint32_t)bytes[i + 1] << 8;
		if (i + 2 < size)
			group |= bytes[i + 2];
		putc_unlocked(digits[group >> 18], out);
		putc_unlocked(digits[group >> 12 & 63], out);
		putc_unlocked(i + 1 < size ? digits[group >> 6 & 63] : '=', out);
		putc_unlocked(i + 2 < size ? digits[group & 63] : '=', out);
	}
}

static int write_packed(const char *bytes, size_t size, FILE *out, struct err *err)
{
	uLongf packed_size = compressBound(size);
	unsigned char *packed = malloc(packed_size);

	if (!packed ||
	    compress2(packed, &packed_size, (const Bytef *)bytes, size, Z_BEST_COMPRESSION)) {
		free(packed);
		return err_no_memory(err);
	}
	fputs("<script type=\"application/x-dwell\">", out);
	write_base64(packed, packed_size, out);
	fputs("</script>\n", out);
	free(packed);
	return 0;
}

static int write_source(const struct page_source *source, FILE *out, struct err *err)
{
	char *bytes = NULL;
	size_t size;
	FILE *data = open_memstream(&bytes, &size);
	int status = data ? page_data_write(source, data, err) : err_no_memory(err);

	if (data && fclose(data) && !status)
		status = err_no_memory(err);
	if (!status)
		status = write_packed(bytes, size, out, err);
	free(bytes);
	return status;
}

int page_write(const struct page_template *page, const struct page_source *sources, size_t count,
	       FILE *out, struct err *err)
{
	const char *mark = memmem(page->html, page->size, MARK, strlen(MARK));
	const char *rest = mark ? mark + strlen(MARK) : NULL;
	int status = 0;

	if (!mark)
		return err_set(err, EINVAL, "the page has no place for data");
	fwrite(page->html, 1, (size_t)(mark - page->html), out);
	for (size_t i = 0; i < count && !status; i++)
		status = write_source(&sources[i], out, err);
	fwrite(rest, 1, (size_t)(page->html + page->size - rest), out);
	return status;
}
