// SPDX-License-Identifier: GPL-3.0-or-later
/* The list of checks, to which each part of the examination adds. */
#include <stdarg.h>
#include <stdio.h>

#include "collector/doctor/doctor_private.h"

void doctor_check_add(struct doctor *d, const char *name, enum doctor_level level,
		      const char *format, ...)
{
	va_list arguments;

	if (d->count == DOCTOR_MOST)
		return;
	struct doctor_check *c = &d->check[d->count++];
	*c = (struct doctor_check){.name = name, .level = level};
	va_start(arguments, format);
	vsnprintf(c->found, sizeof(c->found), format, arguments);
	va_end(arguments);
}

void doctor_check_remedy(struct doctor *d, const char *format, ...)
{
	struct doctor_check *c = &d->check[d->count - 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->remedy, sizeof(c->remedy), format, arguments);
	va_end(arguments);
}

enum doctor_level doctor_check_worst(const struct doctor *d)
{
	enum doctor_level worst = DOCTOR_OK;

	for (size_t i = 0; i < d->count; i++)
		if (d->check[i].level > worst)
			worst = d->check[i].level;
	return worst;
}

const char *doctor_check_level_name(enum doctor_level level)
{
	static const char *const names[] = {"ok", "note", "limited", "missing"};

	return names[level];
}
