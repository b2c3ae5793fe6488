// SPDX-License-Identifier: GPL-3.0-or-later
/* Reads schema "scprof-displace/1". Nothing in the file is trusted: what is no number is not
 * known, what is no text is not there. */
#include "report/model/displacement_file.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/given_file.h"
#include "stats/displacement/displacement.h"

#define SCHEMA	   "scprof-displace/1"
#define CPUS_MOST  4096
#define MOST_BYTES (16u << 20) /* 4096 CPUs take less than 4 MiB */

static double number_of(const json_t *o, const char *key)
{
	const json_t *value = json_object_get(o, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text ? strdup(text) : NULL;
}

static void set_shares(struct displaced_cpu *c)
{
	for (int i = 0; i < DISPLACED_PARTS; i++)
		c->share[i] = c->wall_s > 0 ? c->part_s[i] / c->wall_s : NAN;
}

static void read_cpu(struct displaced_cpu *c, const json_t *o)
{
	static const char *const keys[DISPLACED_PARTS] = {
		[DISPLACED_PROGRAM] = "program_s", [DISPLACED_UNCHARGED] = "interrupts_program_s",
		[DISPLACED_OTHERS] = "others_s",   [DISPLACED_SCPROF] = "scprof_s",
		[DISPLACED_STOLEN] = "stolen_s",   [DISPLACED_INTERRUPTS] = "interrupts_rest_s",
		[DISPLACED_IDLE] = "idle_s",	   [DISPLACED_REMAINDER] = "remainder_s"};
	double number = number_of(o, "cpu");

	c->cpu = number >= 0 && number < CPUS_MOST ? (int)number : -1;
	c->wall_s = number_of(o, "wall_s");
	for (int i = 0; i < DISPLACED_PARTS; i++)
		c->part_s[i] = number_of(o, keys[i]);
	c->part_s[DISPLACED_INTERRUPTS] += number_of(o, "switching_s");
	set_shares(c);
}

static int read_cpus(struct displaced *d, const json_t *root)
{
	const json_t *cpus = json_object_get(root, "cpus"),
		     *all = json_object_get(root, "all_cpus");
	size_t n = json_array_size(cpus);

	if (n > CPUS_MOST)
		n = CPUS_MOST;
	d->cpu = calloc(n + 1, sizeof(*d->cpu));
	if (!d->cpu)
		return -1;
	for (size_t i = 0; i < n; i++)
		read_cpu(&d->cpu[d->cpus++], json_array_get(cpus, i));
	if (json_is_object(all) && n > 1)
		read_cpu(&d->cpu[d->cpus++], all);
	return 0;
}

static int read_warnings(struct displaced *d, const json_t *root)
{
	const json_t *list = json_object_get(root, "warnings");
	size_t n = json_array_size(list);

	d->warning = calloc(n + 1, sizeof(*d->warning));
	for (size_t i = 0; d->warning && i < n && d->warnings < CPUS_MOST; i++)
		if ((d->warning[d->warnings] = text_of(json_array_get(list, i), "text")))
			d->warnings++;
	return d->warning ? 0 : -1;
}

static int read_all(struct displaced *d, const json_t *root)
{
	const json_t *uncharged = json_object_get(root, "unaccounted");

	d->confidence = number_of(root, "confidence");
	d->uncharged_s = number_of(uncharged, "mean_s");
	d->low_s = number_of(uncharged, "ci_low_s");
	d->high_s = number_of(uncharged, "ci_high_s");
	d->share_of_rusage = number_of(uncharged, "share_of_rusage");
	d->sentence = text_of(root, "sentence");
	return read_cpus(d, root) < 0 || read_warnings(d, root) < 0 ? -1 : 0;
}

static json_t *load(const char *path, char *error, size_t room)
{
	json_error_t where;
	const char *why;
	char *text = given_file_text(path, MOST_BYTES, &why);
	json_t *root = text ? json_loads(text, 0, &where) : NULL;

	if (!text)
		snprintf(error, room,
			 "cannot read %.200s: %s. Make one with scprof displace --json -o FILE "
			 "COMMAND",
			 path, why);
	else if (!root)
		snprintf(error, room,
			 "cannot read %.200s: line %d is no JSON as 'scprof displace --json' "
			 "writes it. Make one with scprof displace --json -o FILE COMMAND",
			 path, where.line);
	free(text);
	return root;
}

struct displaced *displacement_file_read(const char *path, char *error, size_t room)
{
	json_t *root = load(path, error, room);
	const char *schema = json_string_value(json_object_get(root, "schema"));
	struct displaced *d = NULL;

	if (!root)
		return NULL;
	if (!schema || strcmp(schema, SCHEMA) != 0) {
		snprintf(error, room,
			 "%.200s is not an account of displacement (schema \"%s\"): it comes from "
			 "'scprof displace --json'",
			 path, SCHEMA);
	} else if (!json_array_size(json_object_get(root, "cpus"))) {
		snprintf(error, room, "%.200s has no CPU in it", path);
	} else if (!(d = calloc(1, sizeof(*d))) || read_all(d, root) < 0) {
		snprintf(error, room, "%s", strerror(ENOMEM));
		displacement_file_free(d);
		d = NULL;
	}
	json_decref(root);
	return d;
}

void displacement_file_free(struct displaced *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->warnings; i++)
		free(d->warning[i]);
	free(d->warning);
	free(d->sentence);
	free(d->cpu);
	free(d);
}

/* The account of a profile, in the form of one that was read from a file. */

_Static_assert((int)DISPLACED_PARTS == (int)SCP_ACCOUNT_PARTS &&
		       (int)DISPLACED_UNCHARGED == (int)SCP_ACCOUNT_UNCHARGED &&
		       (int)DISPLACED_REMAINDER == (int)SCP_ACCOUNT_REMAINDER,
	       "the same parts in the same order");

/* All together come last, where there are several. */
static int take_cpus(struct displaced *d, const struct prof_account *a)
{
	struct displaced_cpu all = {.cpu = -1};

	d->cpu = calloc((size_t)a->cpus + 1, sizeof(*d->cpu));
	if (!d->cpu)
		return -1;
	for (uint32_t i = 0; i < a->cpus; i++) {
		struct displaced_cpu *c = &d->cpu[d->cpus++];

		c->cpu = (int)(a->cpu[i].cpu & INT32_MAX);
		c->wall_s = a->cpu[i].wall_ns / 1e9;
		all.wall_s += c->wall_s;
		for (int k = 0; k < DISPLACED_PARTS; k++) {
			c->part_s[k] = a->cpu[i].part_ns[k] / 1e9;
			all.part_s[k] += c->part_s[k];
		}
		set_shares(c);
	}
	set_shares(&all);
	if (a->cpus > 1)
		d->cpu[d->cpus++] = all;
	return 0;
}

static int take_texts(struct displaced *d, const struct prof_account *a)
{
	d->warning = calloc((size_t)a->texts + 1, sizeof(*d->warning));
	d->sentence = a->texts ? strdup(a->text[0]) : NULL;
	for (uint32_t i = 1; d->warning && i < a->texts; i++)
		if ((d->warning[d->warnings] = strdup(a->text[i])))
			d->warnings++;
	return d->warning && (!a->texts || (d->sentence && d->warnings + 1 == a->texts)) ? 0 : -1;
}

/* As in the account that was printed when it was recorded. */
static double hidden(const struct prof_account *a)
{
	double others = 0, wall = 0, sum = 0;

	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		others += part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]);
		wall += a->cpu[i].wall_ns;
	}
	for (uint32_t i = 0; i < a->cpus; i++) {
		const double *part = a->cpu[i].part_ns;

		sum += displacement_hidden(
			part[SCP_ACCOUNT_UNCHARGED],
			part[SCP_ACCOUNT_UNCHARGED] + part[SCP_ACCOUNT_INTERRUPTS] +
				part[SCP_ACCOUNT_IDLE],
			part[SCP_ACCOUNT_OTHERS] + fmax(0, part[SCP_ACCOUNT_REMAINDER]),
			displacement_is_bound(others, wall));
	}
	return sum / 1e9;
}

static void take_uncharged(struct displaced *d, const struct prof_account *a, double confidence)
{
	struct displacement_value v = {a->uncharged.ns / 1e9, a->uncharged.error_ns / 1e9,
				       a->uncharged.freedom};

	d->confidence = confidence;
	d->uncharged_s = d->low_s = d->high_s = d->share_of_rusage = NAN;
	if (!isfinite(v.error))
		return;
	d->uncharged_s = v.value;
	displacement_limits(v, confidence, &d->low_s, &d->high_s);
	d->high_s += hidden(a);
	if (a->rusage_ns > 0)
		d->share_of_rusage = a->uncharged.ns / a->rusage_ns;
}

struct displaced *displacement_file_recorded(const struct profile *p, double confidence)
{
	const struct prof_account *a = p->account;
	struct displaced *d = p->accounts == 1 && a->cpus ? calloc(1, sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	take_uncharged(d, a, confidence);
	if (take_cpus(d, a) == 0 && take_texts(d, a) == 0)
		return d;
	displacement_file_free(d);
	return NULL;
}
