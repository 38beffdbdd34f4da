/* SPDX-License-Identifier: MIT */
#include "json.h"

#include "base/utf8.h"

void json_write_string(const char *text, FILE *out)
{
	putc('"', out);
	while (*text) {
		size_t bytes = utf8_bytes(text);

		if (bytes == 0)
			fputs("\\ufffd", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || *text == 0x7f)
			fprintf(out, "\\u%04x", (unsigned)*text);
		else if (utf8_is_control(text))
			fprintf(out, "\\u%04x", (unsigned)(unsigned char)text[1]);
		else
			fwrite(text, 1, bytes, out);
		text += bytes ? bytes : 1;
	}
	putc('"', out);
}
