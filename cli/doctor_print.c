// SPDX-License-Identifier: GPL-3.0-or-later
/* A line for each check, and below it what to do. Paths may have control characters: removed. */
#include "cli/doctor_print.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/render/json/json_parts.h"
#include "report/wording/terminal.h"
#include "report/wording/utf8.h"

static const enum terminal_style styles[] = {TERMINAL_NAME, TERMINAL_DIM, TERMINAL_WARN,
					     TERMINAL_WARN};

static int print_check(const struct doctor_check *c, const struct terminal *t)
{
	char *found = utf8_clean(c->found, t->utf8), *remedy = utf8_clean(c->remedy, t->utf8);
	int failed = !found || !remedy;

	if (!failed) {
		terminal_style(stdout, t, styles[c->level]);
		printf("%-8s", doctor_check_level_name(c->level));
		terminal_style(stdout, t, TERMINAL_PLAIN);
		printf(" %-10s  %s\n", c->name, found);
		if (*remedy)
			printf("%-21s-> %s\n", "", remedy);
	}
	free(found);
	free(remedy);
	return failed ? -1 : 0;
}

static const char *summary(enum doctor_level worst)
{
	switch (worst) {
	case DOCTOR_MISSING:
		return "scprof cannot profile here: see what is missing above";
	case DOCTOR_LIMITED:
		return "scprof profiles here; see what is limited above";
	default:
		return "nothing is missing";
	}
}

int doctor_print_text(const struct doctor *d)
{
	struct terminal t = terminal_of(stdout, 0);
	int failed = 0;

	for (size_t i = 0; i < d->count; i++)
		failed |= print_check(&d->check[i], &t);
	puts(summary(doctor_check_worst(d)));
	return failed || fflush(stdout) || ferror(stdout) ? -1 : 0;
}

/* Text from outside may be any bytes; JSON must be UTF-8. */
static json_t *text(const char *from)
{
	char *clean = utf8_clean(from, true);
	json_t *value = *from && clean ? json_string(clean) : json_null();

	free(clean);
	return value;
}

int doctor_print_json(const struct doctor *d, int status)
{
	json_t *root = json_object(), *checks = json_array();

	for (size_t i = 0; i < d->count; i++) {
		json_t *check = json_object();

		json_object_set_new(check, "name", json_string(d->check[i].name));
		json_object_set_new(check, "level",
				    json_string(doctor_check_level_name(d->check[i].level)));
		json_object_set_new(check, "found", text(d->check[i].found));
		json_object_set_new(check, "remedy", text(d->check[i].remedy));
		json_array_append_new(checks, check);
	}
	json_object_set_new(root, "schema", json_string("scprof-doctor/1"));
	json_object_set_new(root, "status", json_integer(status));
	json_object_set_new(root, "checks", checks);
	return json_parts_print(root, stdout);
}
