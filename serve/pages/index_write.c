// SPDX-License-Identifier: GPL-3.0-or-later
#include "serve/pages/index_write.h"

#include <ctype.h>

#include "report/report.h"
#include "report/wording/utf8.h"

void index_write_text(FILE *out, const char *text)
{
	utf8_write_markup(out, text);
}

void index_write_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && isalnum(c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

void index_write_link(FILE *out, const char *page, const char *service, uint32_t clock,
		      const char *more, const char *words)
{
	fprintf(out, "<a href=\"%s?service=", page);
	index_write_escaped(out, service);
	fprintf(out, "&amp;clock=%s%s\">", report_names_clock(clock), more);
	index_write_text(out, words);
	fputs("</a>", out);
}
