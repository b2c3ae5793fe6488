// SPDX-License-Identifier: GPL-3.0-or-later
/* The list that warnings are added to, below all those who warn. */
#include "report/model/warning_list.h"

#include <stdlib.h>
#include <string.h>

static bool known(const struct report_warning *list, uint32_t count, const char *code,
		  const char *text)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(list[i].code, code) && !strcmp(list[i].text, text))
			return true;
	return false;
}

/* A warning that finds no memory is lost: the numbers matter more. */
void warning_list_add(struct report_warning **list, uint32_t *count, const char *code,
		      const char *format, va_list args)
{
	struct report_warning *grown;
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return;
	grown = known(*list, *count, code, text) ? NULL
						 : realloc(*list, (*count + 1) * sizeof(*grown));
	if (!grown) {
		free(text);
		return;
	}
	*list = grown;
	snprintf(grown[*count].code, sizeof(grown[0].code), "%s", code);
	grown[(*count)++].text = text;
}

void warning_list_note(struct report *r, const char *code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warning_list_add(&r->warning, &r->warnings, code, format, args);
	va_end(args);
}
