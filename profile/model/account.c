// SPDX-License-Identifier: GPL-3.0-or-later
/* What `scprof run --displace` found out about the CPUs' time, kept with the profile. In optional
 * chunks, so that tools that know nothing of it read the profile all the same.
 */
#include "profile/model/account.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "profile/model/intern.h"

#define MOST_NS	   INT64_C(1000000000000000000)
#define TEXT_BYTES 1900 /* two fit in a chunk */

struct prof_account *account_add(struct profile *p)
{
	struct prof_account *grown =
		array_room(p->account, &p->index->room[MODEL_ACCOUNT], p->accounts, sizeof *grown);

	if (!grown)
		return NULL;
	p->account = grown;
	return &grown[p->accounts++];
}

int account_add_cpu(struct prof_account *a, const struct prof_account_cpu *cpu)
{
	struct prof_account_cpu *grown = realloc(a->cpu, (a->cpus + 1) * sizeof *grown);

	if (!grown)
		return -1;
	a->cpu = grown;
	a->cpu[a->cpus++] = *cpu;
	return 0;
}

int account_add_text(struct prof_account *a, const char *text)
{
	char **grown = realloc(a->text, (a->texts + 1) * sizeof *grown);

	if (!grown)
		return -1;
	a->text = grown;
	a->text[a->texts] = strndup(text, TEXT_BYTES);
	if (!a->text[a->texts])
		return -1;
	a->texts++;
	return 0;
}

void account_clear(struct prof_account *a)
{
	for (uint32_t i = 0; i < a->texts; i++)
		free(a->text[i]);
	free(a->text);
	free(a->cpu);
	*a = (struct prof_account){0};
}

static int load_cpus(struct prof_account *a, const struct raw_file *raw, uint32_t id)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT_CPU];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account_cpu *r = raw_record(raw, &list->ref[i]);
		struct prof_account_cpu cpu = {.cpu = r->cpu, .wall_ns = (double)r->wall_ns};

		if (r->account != id)
			continue;
		for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
			cpu.part_ns[k] = (double)r->part_ns[k];
		if (account_add_cpu(a, &cpu))
			return -1;
	}
	return 0;
}

static int load_texts(struct prof_account *a, const struct raw_file *raw, uint32_t id)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT_TEXT];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account_text *r = raw_record(raw, &list->ref[i]);

		if (r->account == id && account_add_text(a, r->text))
			return -1;
	}
	return 0;
}

static bool known(const struct profile *p, uint64_t run)
{
	for (uint32_t i = 0; i < p->accounts; i++)
		if (p->account[i].run == run)
			return true;
	return false;
}

static int load_one(struct profile *p, const struct raw_file *raw, const struct scp_account *r)
{
	struct prof_account *a = account_add(p);

	if (!a)
		return -1;
	a->run = r->run;
	a->rusage_ns = (double)r->rusage_ns;
	a->uncharged.ns = (double)r->uncharged_ns;
	a->uncharged.error_ns =
		r->uncharged_error_ns == INT64_MAX ? INFINITY : fabs((double)r->uncharged_error_ns);
	a->uncharged.freedom = fmax(1, r->uncharged_freedom_ppk) / 1e3;
	return load_cpus(a, raw, r->id) || load_texts(a, raw, r->id) ? -1 : 0;
}

int account_load(struct profile *p, const struct raw_file *raw)
{
	const struct raw_list *list = &raw->list[SCP_REC_ACCOUNT];

	for (uint32_t i = 0; i < list->count; i++) {
		const struct scp_account *r = raw_record(raw, &list->ref[i]);

		if (!known(p, r->run) && load_one(p, raw, r))
			return -1;
	}
	return 0;
}

static int64_t whole(double ns)
{
	return isnan(ns) ? 0 : (int64_t)llround(fmin((double)MOST_NS, fmax((double)-MOST_NS, ns)));
}

/* In the chunk that is open, or in a new one where it has no room. */
static void *record(struct image *img, uint32_t type, uint64_t bytes)
{
	uint64_t rounded = (bytes + SCP_RECORD_ALIGN - 1) / SCP_RECORD_ALIGN * SCP_RECORD_ALIGN;

	if (img->chunk && img->used - img->chunk + rounded > SCP_GRANULE)
		image_close_chunk(img);
	if (!img->chunk) {
		image_open_chunk(img, SCP_OPTIONAL_ACCOUNT, 0);
		if (!img->failed)
			((struct scp_chunk *)(void *)(img->bytes + img->chunk))->magic =
				SCP_OPTIONAL_MAGIC;
	}
	return image_record(img, type, bytes);
}

static void write_cpu(struct image *img, const struct prof_account_cpu *cpu, uint32_t id)
{
	struct scp_account_cpu *r = record(img, SCP_REC_ACCOUNT_CPU, sizeof *r);

	if (!r)
		return;
	r->account = id;
	r->cpu = cpu->cpu;
	r->wall_ns = (uint64_t)whole(fmax(0, cpu->wall_ns));
	for (int k = 0; k < SCP_ACCOUNT_PARTS; k++)
		r->part_ns[k] = whole(cpu->part_ns[k]);
}

static void write_text(struct image *img, const char *text, uint32_t id, uint32_t index)
{
	size_t bytes = strlen(text) + 1;
	struct scp_account_text *r = record(img, SCP_REC_ACCOUNT_TEXT, sizeof *r + bytes);

	if (!r)
		return;
	r->account = id;
	r->index = index;
	memcpy(r->text, text, bytes);
}

static void write_one(struct image *img, const struct prof_account *a, uint32_t id)
{
	struct scp_account *r = record(img, SCP_REC_ACCOUNT, sizeof *r);

	if (!r)
		return;
	r->id = id;
	r->run = a->run;
	r->uncharged_ns = whole(a->uncharged.ns);
	r->uncharged_error_ns =
		isfinite(a->uncharged.error_ns) ? whole(a->uncharged.error_ns) : INT64_MAX;
	r->uncharged_freedom_ppk =
		(uint32_t)fmin(UINT32_MAX, fmax(1, round(a->uncharged.freedom * 1e3)));
	r->rusage_ns = whole(a->rusage_ns);
	for (uint32_t i = 0; i < a->cpus; i++)
		write_cpu(img, &a->cpu[i], id);
	for (uint32_t i = 0; i < a->texts; i++)
		write_text(img, a->text[i], id, i);
}

void account_write(struct image *img, const struct profile *p)
{
	for (uint32_t i = 0; i < p->accounts; i++)
		write_one(img, &p->account[i], i + 1);
	if (p->accounts && img->chunk)
		image_close_chunk(img);
}
