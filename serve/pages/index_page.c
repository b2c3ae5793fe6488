// SPDX-License-Identifier: GPL-3.0-or-later
/* A table for each service: its functions, by time, with mean, interval, calls and bytes. */
#include "serve/pages/index_page.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "serve/pages/gauges.h"
#include "report/wording/numbers.h"

#define ROWS_SHOWN 12

const char index_page_style[] =
	":root{color-scheme:light dark}"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:1.5rem auto;padding:0 "
	"1rem}"
	"h1{font-size:1.3rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .3rem}"
	"p{margin:.3rem 0;opacity:.8}"
	"table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}"
	"th,td{text-align:right;padding:.2rem .6rem;border-bottom:1px solid #8884;"
	"white-space:nowrap}"
	"th{font-weight:600}td.n,th.n{text-align:left;white-space:normal;overflow-wrap:anywhere}"
	"td.b{width:20%;padding-right:0}"
	"meter{width:100%;height:.7rem}"
	"small{opacity:.75}a{color:LinkText}\n";

static void put_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x80 && isalnum(c))
			fputc(c, out);
		else
			fprintf(out, "%%%02X", c);
	}
}

static void put_link(FILE *out, const char *page, const char *service, uint32_t clock,
		     const char *more, const char *words)
{
	fprintf(out, "<a href=\"%s?service=", page);
	put_escaped(out, service);
	fprintf(out, "&amp;clock=%s%s\">%s</a>", report_names_clock(clock), more, words);
}

/* What a function takes that does not wait. */
static double work_ns(const struct gauge *g)
{
	return g->function->waits ? 0 : fmax(g->total_ns, 0);
}

static void put_row(FILE *out, const struct gauge *g, double all_ns)
{
	const struct counters_row *row = g->function->row[g->outcome][g->clock];
	struct number_mean mean;
	char total[32], calls[32], bytes[32] = "", share[32];
	double part = all_ns > 0 ? work_ns(g) / all_ns : 0;

	numbers_mean(&mean, g->estimate.mean, g->estimate.low, g->estimate.high, true);
	numbers_duration(total, sizeof(total), g->total_ns, true);
	numbers_count(calls, sizeof(calls), g->calls);
	numbers_share(share, sizeof(share), part);
	if (row && row->has_bytes)
		numbers_bytes(bytes, sizeof(bytes), (uint64_t)row->sums.bytes);
	fputs("<tr><td class=n>", out);
	put_text(out, g->function->name);
	fputs(" <small>", out);
	put_text(out, g->function->library);
	if (g->outcome != SCP_COMPLETED)
		fprintf(out, ", %s", counters_outcome_name(g->outcome));
	fputs("</small>", out);
	if (g->estimate.unreliable)
		fputs(" <small title=\"the interval may not contain the true mean: see the "
		      "report\">(!)</small>",
		      out);
	fprintf(out, "</td><td>%s</td><td>%s %s</td><td>%s</td><td>%s</td><td>%s</td>", calls,
		mean.mean, mean.interval, mean.unit, bytes, total);
	if (g->function->waits)
		fputs("<td class=b>waits</td></tr>\n", out);
	else
		fprintf(out, "<td class=b><meter value=\"%.4f\">%s</meter></td></tr>\n", part,
			share);
}

static void put_links(FILE *out, const struct gauges *g, const struct counters_service *s)
{
	for (uint32_t clock = 1; clock < COUNTERS_CLOCKS; clock++) {
		bool any = false;

		for (size_t i = 0; i < g->count; i++)
			any = any || (g->gauge[i].service == s && g->gauge[i].clock == clock);
		if (!any)
			continue;
		fprintf(out, "<p>clock %s: ", report_names_clock(clock));
		put_link(out, "/service", s->name, clock, "", "report and flame graph");
		fputs(" (", out);
		put_link(out, "/service", s->name, clock, "&amp;refresh=30", "reloads every 30 s");
		fputs("), ", out);
		put_link(out, "/debug/pprof/profile", s->name, clock, "&amp;seconds=10",
			 "pprof of the next 10 s");
		fputs("</p>\n", out);
	}
}

static void put_table(FILE *out, const struct gauges *g, const struct counters_service *s)
{
	size_t shown = 0, rows = 0;
	double all_ns = 0;

	for (size_t i = 0; i < g->count; i++)
		if (g->gauge[i].service == s) {
			rows++;
			all_ns += work_ns(&g->gauge[i]);
		}
	if (!rows)
		return;
	fputs("<table><tr><th class=n>function<th>calls<th>mean<th>unit<th>bytes<th>time"
	      "<th>share</tr>\n",
	      out);
	for (size_t i = 0; i < g->count && shown < ROWS_SHOWN; i++)
		if (g->gauge[i].service == s) {
			put_row(out, &g->gauge[i], all_ns);
			shown++;
		}
	fputs("</table>\n", out);
	if (rows > shown)
		fprintf(out, "<p>and %zu more</p>\n", rows - shown);
}

static void put_service(FILE *out, const struct agent *a, const struct gauges *g,
			const struct counters_service *s)
{
	uint64_t living = 0;
	char seen[32];

	for (const struct source *o = a->sources; o; o = o->hh.next)
		living += o->service == s && o->alive;
	numbers_count(seen, sizeof(seen), s->processes);
	fputs("<h2>", out);
	put_text(out, s->name);
	fprintf(out, "</h2>\n<p>%llu of %s processes live", (unsigned long long)living, seen);
	if (s->other)
		fputs("; functions beyond the limit are not in the table", out);
	fputs("</p>\n", out);
	put_links(out, g, s);
	put_table(out, g, s);
}

int index_page_print(struct agent *a, FILE *out)
{
	struct gauges g;
	int status;

	fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><title>scprof: this "
	      "host</title>\n<meta name=viewport content=\"width=device-width\">"
	      "<meta http-equiv=refresh content=10><link rel=stylesheet href=/style.css></head>"
	      "<body>\n",
	      out);
	status = gauges_build(&g, a);
	agent_lock(a);
	fprintf(out,
		"<h1>scprof: what calls cost on this host</h1>\n<p>means of a call with "
		"%g %% intervals, since the processes began; <a href=/metrics>metrics</a>. This "
		"page reloads every 10 s.</p>\n",
		100 * a->options.confidence);
	if (!a->counters.services)
		fputs("<p>No profile yet. Start a program with <code>scprof run</code> or "
		      "LD_PRELOAD=libscprof.so; <a href=/metrics>scprof_files</a> says what was "
		      "found and why it was not taken.</p>\n",
		      out);
	for (const struct counters_service *s = a->counters.services; status == 0 && s;
	     s = s->hh.next)
		put_service(out, a, &g, s);
	agent_unlock(a);
	gauges_free(&g);
	fputs("</body></html>\n", out);
	return status || fflush(out) || ferror(out) ? -1 : 0;
}
