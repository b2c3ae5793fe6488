// SPDX-License-Identifier: GPL-3.0-or-later
/* Recursive residuals of batches: the header has the equations. */
#include "report/serve/sums/counters.h"

#include <stdlib.h>
#include <string.h>

#include "include/scprof_names.h"
#include "report/wording/utf8.h"

#define KEEP                                                                                       \
	0.95 /* a batch's weight shrinks by this factor at each later one: at most 20 batches      \
		count */

void variance_counter_add(struct variance_counter *s, double calls, double time)
{
	if (!(calls > 0))
		return;
	s->waiting += calls;
	if (s->calls > 0) {
		double residual = time - s->time / s->calls * calls;
		double unsure = s->noise / (s->calls * s->calls);

		/* the variance of the first batch is taken to be the second's */
		s->variance += residual * residual / (1 + calls * unsure) * (s->waiting / calls);
		s->batches++;
		s->waiting = 0;
	}
	s->calls = KEEP * s->calls + calls;
	s->time = KEEP * s->time + time;
	s->noise = KEEP * KEEP * s->noise + calls;
}

void pool_free(struct pool *p)
{
	for (uint32_t i = 0; i < COUNTERS_CLOCKS; i++)
		profile_free(p->model[i]);
}

int pool_add(struct pool *p, const struct profile *from, const bool *skip)
{
	const uint32_t kind = from->clock.kind;
	struct profile_error err;

	if (kind < COUNTERS_CLOCKS && !p->model[kind])
		p->model[kind] = profile_new();
	if (kind < COUNTERS_CLOCKS && !p->model[kind])
		return -1;
	if (kind >= COUNTERS_CLOCKS || functions_add(p->model[kind], from, skip, &err))
		p->left_out++;
	return 0;
}

int pool_join(struct pool *p, const struct pool *from)
{
	p->left_out += from->left_out;
	for (uint32_t i = 0; i < COUNTERS_CLOCKS; i++)
		if (from->model[i] && pool_add(p, from->model[i], NULL))
			return -1;
	return 0;
}

/* Hashes of functions in a hash of services; rows are made when they are first needed. */

const char *const counters_loss_names[COUNTERS_LOSSES] = {
	[COUNTERS_SKIPPED] = "skipped",
	[COUNTERS_ABANDONED] = "abandoned",
	[COUNTERS_UNCLASSIFIED] = "unclassified",
};

const char *counters_outcome_name(unsigned outcome)
{
	static const char *const names[COUNTERS_OUTCOMES] = {
		SCP_OUTCOME_NAMES, [COUNTERS_OVERFLOW] = "overflow"};

	return outcome < COUNTERS_OUTCOMES ? names[outcome] : "unknown";
}

static void free_function(struct counters_function *f)
{
	for (unsigned i = 0; i < COUNTERS_OUTCOMES; i++)
		for (unsigned k = 0; k < COUNTERS_CLOCKS; k++)
			free(f->row[i][k]);
	free(f);
}

static void free_service(struct counters_service *s)
{
	struct counters_function *f, *next;

	HASH_ITER(hh, s->functions, f, next)
	{
		HASH_DEL(s->functions, f);
		free_function(f);
	}
	pool_free(&s->pool);
	free(s);
}

void counters_end(struct counters *c)
{
	struct counters_service *s, *next;

	HASH_ITER(hh, c->services, s, next)
	{
		HASH_DEL(c->services, s);
		free_service(s);
	}
	*c = (struct counters){0};
}

static struct counters_service *new_service(struct counters *c, const char *name)
{
	struct counters_service *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	strcpy(s->name, name);
	HASH_ADD_KEYPTR(hh, c->services, s->name, strlen(s->name), s);
	if (s->hh.tbl)
		return s;
	free(s);
	return NULL;
}

/* So other users can never take all names: neither one of them nor all together. */
static bool has_share(const struct counters *c, unsigned uid)
{
	uint32_t own = 0;

	for (const struct counters_service *s = c->services; s; s = s->hh.next)
		own += s->foreign && s->uid == uid;
	return own < (c->most_services - (c->named - own)) / 2;
}

/* uid NULL: ours. */
static struct counters_service *service_named(struct counters *c, const char *name,
					      const unsigned *uid)
{
	struct counters_service *s;

	HASH_FIND(hh, c->services, name, strlen(name), s);
	if (s && s != c->other)
		return s;
	if (strcmp(name, LABEL_OTHER) && c->named < c->most_services &&
	    (!uid || has_share(c, *uid))) {
		s = new_service(c, name);
		if (s && uid) {
			s->foreign = true;
			s->uid = *uid;
		}
		c->named += s != NULL;
		return s;
	}
	if (!c->other)
		c->other = new_service(c, LABEL_OTHER);
	c->unnamed += c->other != NULL;
	return c->other;
}

struct counters_service *counters_service(struct counters *c, const char *program,
					  const unsigned *uid)
{
	char name[LABEL_BYTES];

	label_clean(name, program);
	if (uid)
		label_add_user(name, *uid);
	return service_named(c, name, uid);
}

static size_t make_key(char key[2 * LABEL_BYTES], const char *name, const char *library)
{
	size_t length = strlen(name) + 1;

	memcpy(key, name, length);
	strcpy(key + length, library);
	return length + strlen(library);
}

static struct counters_function *new_function(struct counters_service *s, const char *name,
					      const char *library)
{
	char key[2 * LABEL_BYTES];
	size_t bytes = make_key(key, name, library);
	struct counters_function *f = calloc(1, sizeof(*f) + bytes);

	if (!f)
		return NULL;
	strcpy(f->name, name);
	strcpy(f->library, library);
	memcpy(f->key, key, bytes);
	HASH_ADD_KEYPTR(hh, s->functions, f->key, bytes, f);
	if (f->hh.tbl)
		return f;
	free(f);
	return NULL;
}

/* The row of these labels; c->rows: none. */
static uint32_t computing_find_row(const struct counters_computing *c, const char *function,
				   const char *library)
{
	uint32_t at = 0;

	while (at < c->rows &&
	       (strcmp(c->row[at].function, function) || strcmp(c->row[at].library, library)))
		at++;
	return at;
}

void counters_computing_add(struct counters_computing *c, const char *function, const char *library,
			    double cpu_s)
{
	char name[LABEL_BYTES], from[LABEL_BYTES];

	label_clean(name, function);
	label_clean(from, library);
	uint32_t at = computing_find_row(c, name, from);

	if (!strcmp(name, LABEL_OTHER) || (at == c->rows && at >= COUNTERS_COMPUTING)) {
		strcpy(name, LABEL_OTHER);
		strcpy(from, LABEL_OTHER);
		at = computing_find_row(c, name, from);
	}
	if (at == c->rows) {
		c->rows++;
		strcpy(c->row[at].function, name);
		strcpy(c->row[at].library, from);
		c->row[at].cpu_s = 0;
	}
	c->row[at].cpu_s += cpu_s;
}

struct counters_function *counters_function(struct counters *c, struct counters_service *s,
					    const char *name, const char *library)
{
	char clean[LABEL_BYTES], clean_library[LABEL_BYTES], key[2 * LABEL_BYTES];
	struct counters_function *f;

	label_clean(clean, name);
	label_clean(clean_library, library);
	size_t bytes = make_key(key, clean, clean_library);
	HASH_FIND(hh, s->functions, key, bytes, f);
	if (f && f != s->other)
		return f;
	if (strcmp(clean, LABEL_OTHER) && s->named < c->most_functions) {
		f = new_function(s, clean, clean_library);
		s->named += f != NULL;
		return f;
	}
	if (!s->other)
		s->other = new_function(s, LABEL_OTHER, LABEL_OTHER);
	return s->other;
}

struct counters_row *counters_row(struct counters_function *f, unsigned outcome, uint32_t clock)
{
	struct counters_row **row;

	if (outcome >= COUNTERS_OUTCOMES || !clock || clock >= COUNTERS_CLOCKS)
		return NULL;
	row = &f->row[outcome][clock];
	if (!*row)
		*row = calloc(1, sizeof(**row));
	return *row;
}

void counters_add(struct counters_row *row, const struct counters_sums *more, bool past)
{
	PROF_ADD(&row->sums, more, calls, ticks, bytes, seconds, square_seconds, overhead_seconds,
		 switched_calls);
	for (unsigned i = 0; i < COUNTERS_STATES; i++)
		row->sums.state_seconds[i] += more->state_seconds[i];
	if (past) {
		row->spread_calls += more->calls;
		row->spread_seconds += more->seconds;
	}
}

static void close_batch(struct counters_row *row)
{
	variance_counter_add(&row->spread, (double)(row->sums.calls - row->spread_calls),
			     (double)(row->sums.seconds - row->spread_seconds));
	row->spread_calls = row->sums.calls;
	row->spread_seconds = row->sums.seconds;
}

void counters_close_batches(struct counters *c)
{
	for (struct counters_service *s = c->services; s; s = s->hh.next)
		for (struct counters_function *f = s->functions; f; f = f->hh.next)
			for (unsigned i = 0; i < COUNTERS_OUTCOMES * COUNTERS_CLOCKS; i++)
				if (f->row[i / COUNTERS_CLOCKS][i % COUNTERS_CLOCKS])
					close_batch(
						f->row[i / COUNTERS_CLOCKS][i % COUNTERS_CLOCKS]);
}

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define CUT_MARK    "..."

void label_clean(char out[LABEL_BYTES], const char *name)
{
	size_t length = strlen(name);
	const size_t most = LABEL_BYTES - 1 - (sizeof(CUT_MARK) - 1);
	size_t used = 0, fits = 0, at = 0;

	while (at < length) {
		const char *s = name + at, *next = s;
		uint32_t c = utf8_next(&next);
		size_t bytes = (size_t)(next - s);
		bool bad = c == UTF8_BROKEN || bytes > length - at || utf8_is_harmful(c);
		const char *from = bad ? REPLACEMENT : s;
		size_t put = bad ? sizeof(REPLACEMENT) - 1 : bytes;

		if (used + put > LABEL_BYTES - 1) {
			memcpy(out + fits, CUT_MARK, sizeof(CUT_MARK));
			return;
		}
		memcpy(out + used, from, put);
		used += put;
		if (used <= most)
			fits = used;
		at += bytes;
	}
	out[used] = '\0';
	if (!used)
		strcpy(out, "unknown");
}

void label_add_user(char name[LABEL_BYTES], unsigned uid)
{
	char user[16];
	size_t length = strlen(name), bytes = (size_t)snprintf(user, sizeof(user), "@%u", uid);

	if (length + bytes > LABEL_BYTES - 1) {
		length = LABEL_BYTES - 1 - bytes - (sizeof(CUT_MARK) - 1);
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--; /* between characters */
		strcpy(name + length, CUT_MARK);
		length += sizeof(CUT_MARK) - 1;
	}
	strcpy(name + length, user);
}

void label_write(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', out);
		if (*value == '\n')
			fputs("\\n", out);
		else
			fputc(*value, out);
	}
	fputc('"', out);
}
