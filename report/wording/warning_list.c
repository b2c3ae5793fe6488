// SPDX-License-Identifier: GPL-3.0-or-later
/* The list that warnings are added to, below all those who warn. */
#include "report/wording/warning_list.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "profile/base/array.h"
#include "report/wording/utf8.h"

static bool known(const struct report_warning *list, uint32_t count, const char *code,
		  const char *text)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(list[i].code, code) && !strcmp(list[i].text, text))
			return true;
	return false;
}

/* "figures. What it means. What to do." */
static char *whole_text(const char *figures, const struct warning_code *w)
{
	if (w->kind == WARNING_ANSWER)
		return utf8_text("%s.", figures);
	return utf8_text("%s.%s%s%s%s", figures, *w->means ? " " : "", w->means, *w->act ? " " : "",
			 w->act);
}

/* "figures: what to do", its first letter small unless it is part of a name. */
static char *brief_text(const char *figures, const struct warning_code *w)
{
	const char *act = w->act;
	bool lower = isupper((unsigned char)*act) && islower((unsigned char)act[1]);
	size_t bytes = strlen(act);

	bytes -= bytes && act[bytes - 1] == '.' && (bytes < 3 || act[bytes - 2] != '.');
	if (!bytes || w->kind == WARNING_ANSWER)
		return strdup(figures);
	return utf8_text("%s: %c%.*s", figures, lower ? tolower((unsigned char)*act) : *act,
			 (int)bytes - 1, act + 1);
}

/* A warning that finds no memory is lost: the numbers matter more. */
void warning_list_add(struct report_warning **list, uint32_t *count, const char *code,
		      char *figures)
{
	static const struct warning_code none = {"", WARNING_NUMBERS, "", "", ""};
	const struct warning_code *words = warning_codes_find(code);
	struct report_warning made = {.weight = NAN, .row = PROF_NONE};

	words = words ? words : &none;
	if (!figures)
		return;
	snprintf(made.code, sizeof(made.code), "%s", code);
	made.text = whole_text(figures, words);
	made.brief = brief_text(figures, words);
	free(figures);
	if (!made.text || !made.brief || known(*list, *count, code, made.text) ||
	    !ARRAY_PUT(*list, *count, made))
		warning_list_clear(&made);
}

void warning_list_clear(struct report_warning *w)
{
	PROF_FREE(w, text, brief);
}

static enum warning_kind kind_of(const struct report_warning *w)
{
	const struct warning_code *words = warning_codes_find(w->code);

	return words ? words->kind : WARNING_NUMBERS;
}

/* Does `a` weigh less than `b`? Of equal kind a larger share of the time weighs more. */
static bool is_lighter(const struct report_warning *a, const struct report_warning *b)
{
	enum warning_kind of_a = kind_of(a), of_b = kind_of(b);

	return of_a != of_b ? of_a > of_b : a->weight < b->weight;
}

/* By insertion: a few dozen at most, and equal ones keep their order. */
void warning_list_sort(struct report_warning *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = i; k && is_lighter(&list[k - 1], &list[k]); k--) {
			struct report_warning swapped = list[k];

			list[k] = list[k - 1];
			list[k - 1] = swapped;
		}
}
