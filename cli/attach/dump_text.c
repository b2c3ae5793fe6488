// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/attach/dump_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"
#include "report/wording/numbers.h"
#include "report/wording/utf8.h"

#define VERDICTS 4u
#define LISTED	 6u  /* threads that are named of equal ones */
#define ALIKE	 1.1 /* times as long asleep as another: no difference worth a word */

struct group {
	const char *doing;
	size_t threads;
};

ARRAY_COMPARE(by_threads, struct group,
	      ARRAY_ORDER(b->threads, a->threads) ?: strcmp(a->doing, b->doing))

/* "1 waits in accept4", "3 wait in ...", and "2 for a lock" behind a group of the same verb. */
static void put_groups(const struct group *group, size_t groups, FILE *out)
{
	for (size_t i = 0; i < groups && i < VERDICTS; i++) {
		const struct group *g = &group[i];
		int verb = (int)strcspn(g->doing, " ");

		fprintf(out, "%s%zu", i ? ", " : "", g->threads);
		if (!i || strncmp(g->doing, group[i - 1].doing, (size_t)verb + 1) != 0)
			fprintf(out, " %.*s", g->threads > 1 ? verb - 1 : verb, g->doing);
		fputs(g->doing + verb, out);
	}
	fputs(groups > VERDICTS ? ", ..." : "", out);
}

/* A share: a thread that was borrowed to begin the recording is back in its wait a bit later. */
#define LATER 0.1

static bool is_shown(const struct dump_thread *t, double since_s)
{
	return !(since_s > 0) || t->for_s >= (1 - LATER) * since_s;
}

static void put_verdict(const struct dump_text *x, double since_s, FILE *out)
{
	size_t threads = 0, groups = 0;
	struct group *group = calloc(x->dump->threads, sizeof(*group));

	for (size_t i = 0, k; group && i < x->dump->threads; i++) {
		if (!is_shown(&x->dump->thread[i], since_s))
			continue;
		threads++;
		for (k = 0; k < groups && strcmp(group[k].doing, x->doing[i]) != 0;)
			k++;
		group[k].doing = x->doing[i];
		group[k].threads++;
		groups += k == groups;
	}
	fprintf(out, "%zu thread%s: ", threads, threads == 1 ? "" : "s");
	if (group) {
		ARRAY_SORT(group, groups, by_threads);
		put_groups(group, groups, out);
	}
	free(group);
}

/* Text that others chose is made harmless. */
static char *end_clean(struct utf8_memory *memory)
{
	char *text = utf8_memory_end(memory), *clean = text ? utf8_clean(text, true) : NULL;

	free(text);
	return clean;
}

static bool is_same_place(const struct dump_thread *s, const struct dump_thread *t)
{
	return s->state == t->state && s->frames == t->frames &&
	       (!s->frames || !memcmp(s->frame, t->frame, s->frames * sizeof(*s->frame)));
}

static bool is_equal(const struct dump_text *x, size_t a, size_t b)
{
	return !strcmp(x->doing[a], x->doing[b]) &&
	       is_same_place(&x->dump->thread[a], &x->dump->thread[b]);
}

static bool waits_likewise(const struct dump_thread *s, const struct dump_thread *t)
{
	return s->fd.number >= 0 && t->fd.number >= 0 && s->call == t->call &&
	       !strcmp(s->fd.kind, t->fd.kind) && is_same_place(s, t);
}

/* Many threads that wait in the same place for a descriptor each are told of together. */
static bool tell_together(struct dump_text *x)
{
	const struct dump_thread *t = x->dump->thread;
	size_t threads = x->dump->threads;
	bool *seen = calloc(threads, sizeof(*seen)), fine = seen;

	for (size_t i = 0; fine && i < threads; i++) {
		char *all = NULL;
		size_t alike = 0;
		bool differ = false;

		for (size_t k = seen[i] ? threads : i; k < threads; k++) {
			if (!waits_likewise(&t[i], &t[k]))
				continue;
			seen[k] = ++alike;
			differ |= strcmp(x->doing[i], x->doing[k]) != 0;
		}
		if (!differ || alike <= LISTED)
			continue;
		fine = asprintf(&all, "%s and others", x->doing[i]) >= 0;
		for (size_t k = i; fine && k < threads; k++) {
			if (!waits_likewise(&t[i], &t[k]))
				continue;
			free(x->doing[k]);
			fine = (x->doing[k] = strdup(all)) != NULL;
		}
		free(all);
	}
	free(seen);
	return fine;
}

bool dump_text_begin(struct dump_text *x, const struct dump *d, double since_s)
{
	struct utf8_memory memory;

	*x = (struct dump_text){.dump = d, .since_s = since_s, .symbols = symbolize_new(d->names)};
	x->doing = calloc(d->threads, sizeof(*x->doing));
	for (size_t i = 0; i < d->threads; i++) {
		utf8_memory_begin(&memory);
		if (!x->symbols || !x->doing || !memory.to)
			return false;
		dump_text_tell(x, &d->thread[i], memory.to);
		if (!(x->doing[i] = end_clean(&memory)))
			return false;
	}
	if (!tell_together(x))
		return false;
	utf8_memory_begin(&memory);
	if (memory.to)
		put_verdict(x, since_s, memory.to);
	x->verdict = end_clean(&memory);
	return x->verdict != NULL;
}

void dump_text_end(struct dump_text *x)
{
	for (size_t i = 0; x->doing && i < x->dump->threads; i++)
		free(x->doing[i]);
	PROF_FREE(x, doing, verdict);
	symbolize_free(x->symbols);
}

static void put_frame(const struct dump_text *x, const struct prof_frame *frame, FILE *out)
{
	size_t count;
	const struct symbol *s = symbolize_frame(x->symbols, frame, &count);

	fputs(frame->heuristic ? "? " : "", out);
	if (s->language) {
		symbolize_source_put(out, s, 0);
		return;
	}
	for (size_t i = 0; i < count && s[i].brief; i++)
		fprintf(out, "%s%s", i ? " < " : "", s[i].brief);
	if (s->file)
		fprintf(out, " at %s:%d", base_name(s->file), s->line);
	else if (!s->module)
		fprintf(out, s->brief ? "" : "0x%" PRIx64 " (generated code)", s->offset);
	else if (!s->brief)
		fprintf(out, "%s+0x%" PRIx64, s->module_name, s->offset);
	else if (strcmp(s->module, x->dump->names->process->exe) != 0)
		fprintf(out, " (%s)", s->module_name);
}

/* Without what is outside of main, which is the same everywhere. */
static void put_stack(const struct dump_text *x, const struct dump_thread *t, FILE *out)
{
	uint32_t frames = t->frames;
	size_t count;

	while (frames > 1 &&
	       symbolize_starter(
		       symbolize_frame(x->symbols, &t->frame[frames - 1], &count)->function))
		frames--;
	for (uint32_t i = 0; i < frames; i++) {
		struct utf8_memory memory;

		utf8_memory_begin(&memory);
		if (memory.to)
			put_frame(x, &t->frame[i], memory.to);
		char *line = end_clean(&memory);

		fprintf(out, "      %s\n", line ? line : "?");
		free(line);
	}
	if (t->cut && frames == t->frames)
		fprintf(out, "      (%s not found)\n", frames ? "its caller was" : "its path was");
}

/* What threads that are told of together may differ in. */
struct equals {
	double least_s, most_s; /* NAN: not known */
	size_t count;
	bool one_fd;
};

/* The threads that equal the one at `i`, of which a few are named. */
static struct equals put_threads(const struct dump_text *x, size_t i, bool *done, FILE *out)
{
	struct equals e = {NAN, NAN, 0, true};

	for (size_t k = i; k < x->dump->threads; k++) {
		const struct dump_thread *t = &x->dump->thread[k];
		char *name = done[k] || !is_equal(x, i, k) ? NULL : utf8_clean(t->name, true);

		if (!name)
			continue;
		if (e.count++ < LISTED)
			fprintf(out, "%s%d %s", e.count > 1 ? ", " : "\n", (int)t->tid, name);
		done[k] = true;
		e.least_s = fmin(e.least_s, t->for_s);
		e.most_s = fmax(e.most_s, t->for_s);
		e.one_fd &= t->fd.number == x->dump->thread[i].fd.number;
		free(name);
	}
	if (e.count > 1)
		fprintf(out, "%s: %zu threads", e.count > LISTED ? ", ..." : "", e.count);
	putc('\n', out);
	return e;
}

static void put_state(const struct dump_text *x, size_t i, const struct equals *e, FILE *out)
{
	const struct dump_thread *t = &x->dump->thread[i];
	struct numbered least = numbered_duration(e->least_s * 1e9, false),
			most = numbered_duration(e->most_s * 1e9, false);
	bool range = e->most_s > ALIKE * e->least_s;

	fprintf(out, "  %s", dump_text_state(t));
	if (isfinite(e->most_s))
		fprintf(out, " for %s%s%s", least.text, range ? " to " : "",
			range ? most.text : "");
	if (t->state != 'R' && !strncmp(x->doing[i], "waits", 5))
		fprintf(out, ": %s", x->doing[i]);
	if (t->fd.number >= 0 && e->one_fd)
		fprintf(out, " (descriptor %d, %s)", t->fd.number, t->fd.kind);
	else if (t->fd.number >= 0)
		fprintf(out, " (%s each)", t->fd.kind);
	if (t->waiters > e->count) /* a condition has two words: it may be fewer */
		fprintf(out, ", as %zu threads in all", t->waiters);
	putc('\n', out);
}

void dump_text_print(const struct dump_text *x, FILE *out)
{
	const struct dump *d = x->dump;
	bool *done = calloc(d->threads, sizeof(*done));

	for (size_t i = 0; done && i < d->threads; i++)
		done[i] = !is_shown(&d->thread[i], x->since_s);
	for (size_t i = 0; done && i < d->threads; i++) {
		if (done[i])
			continue;
		const struct equals e = put_threads(x, i, done, out);

		put_state(x, i, &e, out);
		put_stack(x, &d->thread[i], out);
	}
	free(done);
}

static void put_times(const struct dump *d, const struct dump_times *before, FILE *out)
{
	struct dump_times now = dump_times(d->pid);
	double all = (now.at_s - before->at_s) * (double)now.threads,
	       on_cpu = (now.on_cpu_s - before->on_cpu_s) / all,
	       runnable = (now.runnable_s - before->runnable_s) / all;

	if (now.threads == before->threads && all > 0)
		fprintf(out, "  %s of the threads' time on CPU, %s runnable, %s asleep\n",
			numbered_share(fmin(on_cpu, 1)).text,
			numbered_share(fmin(runnable, 1)).text,
			numbered_share(fmax(0, 1 - on_cpu - runnable)).text);
}

void dump_text_after(const struct dump *d, const struct dump_times *before, double recorded_s,
		     bool calls, FILE *out)
{
	struct dump_text x;
	bool any = !calls;

	for (size_t i = 0; i < d->threads; i++)
		any |= is_shown(&d->thread[i], recorded_s);
	if (any && dump_text_begin(&x, d, calls ? recorded_s : 0)) {
		fprintf(out, "\n%s: process %d, %s\n",
			calls ? "In progress all the while, and in no row"
			      : "No call ended; at the end",
			(int)d->pid, x.verdict);
		if (!calls)
			put_times(d, before, out);
		dump_text_print(&x, out);
	}
	if (any)
		dump_text_end(&x);
}
