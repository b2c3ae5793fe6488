// SPDX-License-Identifier: GPL-3.0-or-later
/* One line a profile. */
#include "serve/pages/listing_page.h"

#include <inttypes.h>
#include <time.h>

#include "profile/profile.h"
#include "report/wording/numbers.h"
#include "serve/pages/index_write.h"

static void put_start(FILE *out, uint64_t start_real_ns)
{
	time_t seconds = (time_t)(start_real_ns / 1000000000);
	char text[32] = "";
	struct tm tm;

	if (start_real_ns && gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "<td>%s</td>", text);
}

static const char *state_of(const struct listed *f)
{
	if (f->state == LISTED_WAITS)
		return "not read yet";
	if (f->state == LISTED_REFUSED)
		return source_fault_names[f->fault];
	return f->live ? "running" : f->ended;
}

static void put_file(FILE *out, const struct listed *f)
{
	bool known = f->state == LISTED_READ;
	char calls[32] = "", pid[16] = "", processes[32] = "";

	if (known) {
		numbers_count(calls, sizeof(calls), f->calls);
		numbers_count(processes, sizeof(processes), f->processes);
		snprintf(pid, sizeof(pid), "%" PRIu32, f->pid);
	}
	fputs("<tr><td>", out);
	if (known) {
		fputs("<a href=\"/profile?file=", out);
		index_write_escaped(out, f->path);
		fputs("\">", out);
		index_write_text(out, f->program);
		fputs("</a>", out);
	}
	fputs(" <small>", out);
	index_write_text(out, f->path);
	fprintf(out, "</small></td><td class=number>%s</td><td class=number>%s</td>", pid,
		processes);
	put_start(out, known ? f->start_real_ns : 0);
	fprintf(out, "<td class=number>%s</td><td>%s</td></tr>\n", calls, state_of(f));
}

void listing_page_print(const struct listing *l, FILE *out)
{
	if (!l->files)
		return;
	fputs("<section><h2>Profiles</h2>\n<div class=scroll-x><table id=profiles><thead><tr>"
	      "<th scope=col>Program, file<th scope=col class=number>Pid<th scope=col "
	      "class=number>Processes<th scope=col>Start (UTC)<th scope=col "
	      "class=number>Calls<th scope=col>State</tr></thead>\n",
	      out);
	for (size_t i = 0; i < l->files; i++)
		put_file(out, &l->file[i]);
	fputs("</table></div>\n", out);
	if (l->beyond)
		fprintf(out, "<p class=note>and %" PRIu64 " more, which are older</p>\n",
			l->beyond);
	fputs("</section>\n", out);
}
