// SPDX-License-Identifier: GPL-3.0-or-later
/* See doctor.h: the order is that of the output, what everything depends on first. */
#include "collector/doctor/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/doctor/doctor_private.h"

void doctor_found(struct doctor *d, const char *name, enum doctor_level level, const char *format,
		  ...)
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

void doctor_remedy(struct doctor *d, const char *format, ...)
{
	struct doctor_check *c = &d->check[d->count - 1];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(c->remedy, sizeof(c->remedy), format, arguments);
	va_end(arguments);
}

int doctor_read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int failed = !file || !fgets(line, (int)size, file) ? -1 : 0;

	if (file)
		fclose(file);
	line[failed ? 0 : strcspn(line, "\n")] = '\0';
	return failed;
}

void doctor_examine(struct doctor *d, const char *version, const char *program)
{
	*d = (struct doctor){0};
	doctor_library(d, version);
	if (program)
		doctor_program(d, program);
	doctor_files(d);
	doctor_kernel_session(d);
	doctor_clocks(d);
	doctor_cpus(d);
	doctor_kernel(d);
}

enum doctor_level doctor_worst(const struct doctor *d)
{
	enum doctor_level worst = DOCTOR_OK;

	for (size_t i = 0; i < d->count; i++)
		if (d->check[i].level > worst)
			worst = d->check[i].level;
	return worst;
}

const char *doctor_level_name(enum doctor_level level)
{
	static const char *const names[] = {"ok", "note", "limited", "missing"};

	return names[level];
}
