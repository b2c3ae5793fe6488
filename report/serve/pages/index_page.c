// SPDX-License-Identifier: GPL-3.0-or-later
/* A table for each service: its functions, by time, with mean, interval, calls and bytes. */
#include "report/serve/pages/index.h"

#include <math.h>

#include "report/serve/pages/metrics.h"
#include "report/wording/numbers.h"

#define ROWS_SHOWN 12

/* The file that report/serve/build.mk makes. */
__asm__(".section .rodata\n"
	".global index_page_style\n"
	"index_page_style: .incbin \"" INDEX_STYLE "\"\n"
	".byte 0\n"
	".text\n");

/* A function that waits does no work. */
static double work_ns(const struct gauge *g)
{
	return g->function->waits ? 0 : fmax(g->total_ns, 0);
}

static void put_share(FILE *out, const struct gauge *g, double all_ns)
{
	double part = all_ns > 0 ? work_ns(g) / all_ns : 0;

	if (g->function->waits) {
		fputs("<td class=number>waits</td>", out);
		return;
	}
	fprintf(out,
		"<td class=number>%s<svg class=bar viewBox=\"0 0 100 1\" preserveAspectRatio=none "
		"aria-hidden=true><rect class=track width=100 height=1 /><rect class=part "
		"width=\"%.2f\" height=1 /></svg></td>",
		numbered_share(part).text, 100 * part);
}

static void put_name(FILE *out, const struct gauge *g)
{
	index_write_text(out, "<tr><td><bdi class=name>", g->function->name, "</bdi>");
	if (g->outcome != SCP_COMPLETED)
		fprintf(out, " <span class=outcome>%s</span>", counters_outcome_name(g->outcome));
	if (g->estimate.unreliable)
		fputs(" <b class=doubt title=\"the interval may not contain the true mean: see the "
		      "report\">!</b>",
		      out);
	index_write_text(out, "<bdi class=caller>", g->function->library, "</bdi></td>");
}

static void put_row(FILE *out, const struct gauge *g, double all_ns)
{
	const struct counters_row *row = g->function->row[g->outcome][g->clock];
	struct number_mean mean =
		numbers_mean(g->estimate.mean, g->estimate.low, g->estimate.high, true);

	put_name(out, g);
	put_share(out, g, all_ns);
	fprintf(out,
		"<td class=number>%s</td><td class=number>%s</td><td class=number>"
		"<strong>%s</strong> %s <span class=quiet-text>%s</span></td>"
		"<td class=number>%s</td></tr>\n",
		numbered_duration(g->total_ns, true).text, numbered_count(g->calls).text, mean.mean,
		mean.unit, mean.interval,
		row && row->has_bytes ? numbered_bytes((uint64_t)row->sums.bytes).text : "");
}

static void put_links(FILE *out, const struct gauges *g, const struct counters_service *s)
{
	for (uint32_t clock = 1; clock < COUNTERS_CLOCKS; clock++) {
		bool any = false;

		for (size_t i = 0; i < g->count; i++)
			any = any || (g->gauge[i].service == s && g->gauge[i].clock == clock);
		if (!any)
			continue;
		fprintf(out, "<p class=note>clock %s: ", report_names_clock(clock));
		index_write_link(out, "/service", s->name, clock, "", "report and flame graph");
		fputs(" (", out);
		index_write_link(out, "/service", s->name, clock, "&amp;refresh=30",
				 "reloads every 30 s");
		fputs("), ", out);
		index_write_link(out, "/debug/pprof/profile", s->name, clock, "&amp;seconds=10",
				 "pprof of the next 10 s");
		fputs("</p>\n", out);
	}
}

static void put_table(FILE *out, const struct gauges *g, const struct counters_service *s)
{
	static const char *const heads[] = {"Share of work", "Time in calls", "Calls",
					    "Mean of a call, interval", "Bytes"};
	size_t shown = 0, rows = 0;
	double all_ns = 0;

	for (size_t i = 0; i < g->count; i++)
		if (g->gauge[i].service == s) {
			rows++;
			all_ns += work_ns(&g->gauge[i]);
		}
	if (!rows)
		return;
	fputs("<div class=scroll-x><table><thead><tr><th scope=col>Function, library", out);
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		fprintf(out, "<th scope=col class=number>%s", heads[i]);
	fputs("</tr></thead>\n", out);
	for (size_t i = 0; i < g->count && shown < ROWS_SHOWN; i++)
		if (g->gauge[i].service == s) {
			put_row(out, &g->gauge[i], all_ns);
			shown++;
		}
	fputs("</table></div>\n", out);
	if (rows > shown)
		fprintf(out, "<p class=note>and %zu more</p>\n", rows - shown);
}

static bool has_rows(const struct gauges *g, const struct counters_service *s)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->gauge[i].service == s && g->gauge[i].calls)
			return true;
	return false;
}

static void put_service(FILE *out, const struct agent *a, const struct gauges *g,
			const struct counters_service *s)
{
	uint64_t living = 0;

	for (const struct source *o = a->sources; o; o = o->hh.next)
		living += o->service == s && o->alive;
	index_write_text(out, "<section><h2><bdi class=name>", s->name, "</bdi></h2>\n");
	fprintf(out, "<p class=note>%llu of %s processes live", (unsigned long long)living,
		numbered_count(s->processes).text);
	if (s->other)
		fputs("; functions beyond the limit are not in the table", out);
	fputs("</p>\n", out);
	put_links(out, g, s);
	put_table(out, g, s);
	fputs("</section>\n", out);
}

int index_page_print(struct agent *a, const struct index_order *order, FILE *out)
{
	struct gauges g;

	fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>scprof: this "
	      "host</title>\n<meta name=viewport content=\"width=device-width, "
	      "initial-scale=1\"><meta name=color-scheme content=\"light dark\"><meta "
	      "http-equiv=refresh content=10><link rel=stylesheet href=/style.css></head><body>\n",
	      out);
	int status = gauges_build(&g, a);
	pthread_mutex_lock(&a->lock);
	fprintf(out,
		"<p class=mark>scprof</p><h1>What calls cost on this host</h1>\n<p "
		"class=note>Means of a call with %g %% intervals, since the processes began. This "
		"page reloads every 10 s. <a href=/metrics>Metrics</a></p>\n",
		100 * a->options.confidence);
	if (!a->sources && !a->counters.services)
		fputs("<p>No profile yet. Start a program with <code>scprof run</code> or "
		      "<code>LD_PRELOAD=libscprof.so</code>; <a href=/metrics>scprof_files</a> "
		      "says what was found and why it was not taken.</p>\n",
		      out);
	if (status == 0)
		status = index_tables_processes(a, order, out);
	if (status == 0)
		for (const struct counters_service *s = a->counters.services; s; s = s->hh.next)
			if (has_rows(&g, s))
				put_service(out, a, &g, s);
	if (status == 0)
		status = index_tables_profiles(a, order, out);
	pthread_mutex_unlock(&a->lock);
	gauges_free(&g);
	fputs("</body></html>\n", out);
	return status || fflush(out) || ferror(out) ? -1 : 0;
}
