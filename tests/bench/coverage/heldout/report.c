// SPDX-License-Identifier: GPL-3.0-or-later
/* A law with a number of calls is one piece of work, with a seed made of its name and that number:
 * results do not depend on what else is asked for, nor on the number of threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/coverage/heldout/report.h"
#include "tests/bench/coverage/heldout/stream.h"
#include "tests/bench/coverage/heldout/traces.h"
#include "tests/bench/coverage/methods.h"
#include "tests/bench/coverage/print.h"
#include "stats/histogram/tail.h"

#define Z95 1.959963984540054
/* A call on three clocks, and an estimate on each by all methods. */
#define CALL_NS	    75.0
#define ESTIMATE_NS 150e3
/* These cells are as many times dearer than those of the grid. */
#define BUDGET 10
/* Calls are drawn one by one, so runs of the grid's 10^7 are left out. */
#define MOST_CALLS 2e6

struct method_score {
	uint64_t covered, silent;
	double width_sum;
};

struct piece {
	const struct stream_law *law;
	uint64_t n;
	struct score score[STREAM_CLOCKS];
	struct method_score method[METHODS]; /* of the TSC */
};

struct work {
	const struct options *options;
	struct piece *piece;
	size_t pieces;
	atomic_size_t next;
};

static uint64_t seed_of(const struct piece *p)
{
	uint64_t h = 1994 ^ p->n;

	for (const char *c = p->law->name; *c; c++)
		h = (h ^ (uint64_t)(unsigned char)*c) * 0x100000001b3u;
	return h;
}

static uint64_t replications_of(const struct options *o, uint64_t n)
{
	double most = BUDGET * o->budget_ns / (CALL_NS * (double)n + ESTIMATE_NS);

	return (uint64_t)fmin(fmax(most, (double)o->least), (double)o->most);
}

static void add_methods(struct piece *p, const struct stats_sample *s, double truth, bool warned)
{
	for (int m = 0; m < METHODS; m++) {
		struct method_limits l = methods_limits((enum method)m, s, SCORE_CONFIDENCE);
		bool covers = l.low <= truth && truth <= l.high;

		p->method[m].covered += covers;
		p->method[m].silent += !covers && !warned;
		p->method[m].width_sum += l.high - l.low;
	}
}

static void replicate(struct piece *p, struct dice *d)
{
	static _Thread_local struct stream_run r;
	struct stream s;

	stream_record(&s, p->law, p->n, d, &r);
	for (int c = 0; c < STREAM_CLOCKS; c++) {
		struct stats_sample *sample = &r.recorder[c].sample;
		struct mean_interval e;

		if (c == STREAM_TSC) /* the only clock with a histogram */
			sample->tail = tail_index_estimate(r.tail.hist, STATS_HIST_BUCKETS, 1);
		e = mean_interval_estimate(sample, SCORE_CONFIDENCE);
		p->score[c].truth = stream_clock_means[c];
		score_add(&p->score[c], &e, sample->sums.sum);
		if (c == STREAM_TSC)
			add_methods(p, sample, stream_clock_means[c], e.unreliable != 0);
	}
}

static void do_piece(const struct options *o, struct piece *p)
{
	uint64_t replications = replications_of(o, p->n);
	struct dice d;

	dice_seed(&d, seed_of(p));
	for (int c = 0; c < STREAM_CLOCKS; c++)
		p->score[c].deviation = NAN;
	for (uint64_t i = 0; i < replications; i++)
		replicate(p, &d);
	for (int c = 0; c < STREAM_CLOCKS; c++)
		score_end(&p->score[c]);
}

static void *worker(void *arg)
{
	struct work *w = arg;
	size_t i;

	while ((i = atomic_fetch_add(&w->next, 1)) < w->pieces)
		do_piece(w->options, &w->piece[i]);
	return NULL;
}

static void work_all(struct work *w)
{
	pthread_t thread[OPTIONS_JOBS];
	int started = 0;

	while (started < w->options->jobs - 1 &&
	       pthread_create(&thread[started], NULL, worker, w) == 0)
		started++;
	worker(w);
	for (int i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

static bool is_asked(const char *names, const char *name)
{
	if (!names)
		return true;
	for (; *names; names += strcspn(names, ","), names += *names == ',') {
		size_t length = strcspn(names, ",");

		if (length && strncmp(names, name, length) == 0)
			return true;
	}
	return false;
}

/* Widths mean nothing where the estimate has no variance. */
static void print_ratio(FILE *f, const struct stream_law *law, double width, const struct score *s)
{
	if (law->limited > 0)
		fputs(",", f);
	else
		fprintf(f, ",%.4g",
			width / (double)s->replications / (2 * Z95 * score_deviation(s)));
}

static void print_line(FILE *f, const struct piece *p, int clock)
{
	const struct score *s = &p->score[clock];

	fprintf(f, "%s,%s,%d,%.0f,%.0f,%.4f,%.4f,%.4f,%.4f,%.4f", p->law->name,
		stream_clock_names[clock], p->law->dependent, (double)p->n, (double)s->replications,
		score_coverage(s), score_coverage_error(s), score_share(s, s->low_misses),
		score_share(s, s->warned), score_share(s, s->silent));
	print_ratio(f, p->law, s->width_sum, s);
	for (int j = 0; j < SCORE_DOUBTS; j++)
		fprintf(f, ",%.4f", score_share(s, s->doubt[j]));
	for (int m = 0; m < METHODS; m++) {
		if (clock != STREAM_TSC) {
			fputs(",,,", f);
			continue;
		}
		fprintf(f, ",%.4f,%.4f", score_share(s, p->method[m].covered),
			score_share(s, p->method[m].silent));
		print_ratio(f, p->law, p->method[m].width_sum, s);
	}
	fputc(',', f);
	print_verdict(f, s);
	fputc('\n', f);
}

static void print_head(FILE *f)
{
	fputs("law,clock,dependent,n,replications,coverage,coverage_error,missed_below,warned,"
	      "silent,width_over_oracle",
	      f);
	for (int i = 0; i < SCORE_DOUBTS; i++)
		fprintf(f, ",%s", doubt_names[i]);
	for (int m = 0; m < METHODS; m++)
		fprintf(f, ",%s,%s silent,%s width", method_names[m], method_names[m],
			method_names[m]);
	fputs(",verdict\n", f);
}

static void print_counts(FILE *f, const struct work *w)
{
	unsigned cells = 0, silent = 0, alarms = 0, covers = 0, passed = 0;

	for (size_t i = 0; i < w->pieces; i++)
		for (int c = 0; c < STREAM_CLOCKS; c++) {
			const struct score *s = &w->piece[i].score[c];

			cells++;
			passed += score_badness(s, CRITERION_COVER_OR_WARN) == 0;
			silent += score_is_silent(s);
			covers += !isnan(score_badness(s, CRITERION_FALSE_ALARM));
			alarms += score_badness(s, CRITERION_FALSE_ALARM) > 0;
		}
	fprintf(f,
		"held out: %u cells; cover-or-warn %u; silent misses at most %g %%: %u; false "
		"alarms: %u of %u that cover\n",
		cells, passed, 100 * RULE_SILENT, cells - silent, alarms, covers);
}

/* All laws, or those of traces; -1: traces cannot be read. */
static int list_laws(const struct options *o, const struct stream_law *law[STREAM_LAWS])
{
	static struct stream_law trace[2 * TRACES_MOST];
	int count;

	if (!o->traces)
		return (int)stream_list(law);
	count = traces_load(o->traces, trace);
	for (int i = 0; i < count; i++)
		law[i] = &trace[i];
	return count;
}

static int list_pieces(struct work *w)
{
	const struct options_list *n = &w->options->n;
	const struct stream_law *law[STREAM_LAWS];
	int laws = list_laws(w->options, law);

	/* The longest runs first: threads then end together. */
	for (unsigned k = n->count; k-- > 0;)
		for (int i = 0; i < laws; i++)
			if (is_asked(w->options->streams, law[i]->name) &&
			    n->value[k] <= MOST_CALLS &&
			    traces_reach(law[i], (uint64_t)n->value[k]))
				w->piece[w->pieces++] =
					(struct piece){.law = law[i], .n = (uint64_t)n->value[k]};
	if (laws >= 0 && !w->pieces)
		fputs("coverage: no such law\n", stderr);
	return w->pieces ? 0 : -1;
}

int heldout_report(FILE *csv, const struct options *o)
{
	struct work w = {.options = o};

	w.piece = calloc(STREAM_LAWS * (size_t)o->n.count, sizeof w.piece[0]);
	if (!w.piece || list_pieces(&w)) {
		free(w.piece);
		return -1;
	}
	work_all(&w);
	print_head(csv);
	for (size_t i = 0; i < w.pieces; i++)
		for (int c = 0; c < STREAM_CLOCKS; c++)
			print_line(csv, &w.piece[i], c);
	print_counts(stderr, &w);
	free(w.piece);
	return 0;
}
