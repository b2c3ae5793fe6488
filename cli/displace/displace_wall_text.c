// SPDX-License-Identifier: GPL-3.0-or-later
/* `scprof displace --method wall` in the paper's own terms. */
#include <math.h>

#include "collector/machine/cpus.h"
#include "cli/displace/displace_print.h"
#include "report/wording/numbers.h"

static void print_replications(FILE *out, const struct wall_method_result *r)
{
	fprintf(out, "\n  replication  tau_F (ns)   T_F(2) (s)   T_PUT (s)  getrusage (s)  "
		     "others (s)  stolen (s)\n");
	for (size_t i = 0; i < r->count; i++) {
		const struct wall_method_replication *p = &r->replication[i];

		fprintf(out, "  %11zu  %10.3f   %10.4f  %10.4f  %13.4f  %10.4f  %10.4f\n", i + 1,
			1e9 * p->tau_fluid, p->together.time, p->displaced, p->rusage, p->others[1],
			p->stolen[1]);
	}
}

static void print_mean(FILE *out, const char *name, const struct replications_mean *m, double scale,
		       const char *unit)
{
	fprintf(out, "  %-28s %12.4f %s", name, m->mean * scale, unit);
	if (isfinite(m->low))
		fprintf(out, "  (%.4f to %.4f)", m->low * scale, m->high * scale);
	fputc('\n', out);
}

static void print_errors(FILE *out, const struct wall_method_result *r, double each,
			 const char *unit)
{
	fprintf(out, "\n  error terms, %s (section 3 of the paper):\n", unit);
	fprintf(out,
		"  e_daemons    %+12.4f   what other processes and the host took, beyond "
		"step 1\n",
		numbers_tidy(r->errors.daemons * each, 4));
	fprintf(out,
		"  e_cache      %+12.4f   at most: %.0f ns for a cold loop, each time that the "
		"fluid came back\n",
		numbers_tidy(r->errors.cache * each, 4), 1e9 * r->first_loop);
	fprintf(out, "  e_res        ±%11.6f   of a clock that steps by %.0f ns\n",
		r->errors.resolution * each, 1e9 * r->clock);
	fprintf(out,
		"  e_start      %+12.4f   starting and ending an empty program takes %.0f us\n",
		numbers_tidy(r->errors.start * each, 4), 1e6 * r->start);
}

#define DAEMONS 0.02 /* of what is measured */

const char *displace_wall_warning(const struct displace_wishes *o,
				  const struct wall_method_result *r, size_t i, char *text,
				  size_t size)
{
	double loops = o->loops ? (double)o->loops : 1, daemons = r->errors.daemons * loops;

	if (!i && fabs(daemons) > DAEMONS * fabs(r->displaced.mean)) {
		snprintf(text, size,
			 "others and the host took %+.1f %% of what is measured; --method fluid "
			 "takes account of both",
			 100 * daemons / r->displaced.mean);
		return "too-disturbed";
	}
	if (i == 1 && r->out_of_time) {
		snprintf(text, size,
			 "%zu of %u replications were complete after %.4g s (--time-limit)",
			 r->count, o->replications, o->longest_s);
		return "out-of-time";
	}
	return NULL;
}

static void print_warnings(FILE *out, const struct displace_wishes *o,
			   const struct wall_method_result *r)
{
	char text[256];

	for (size_t i = 0; i < DISPLACE_WALL_WARNINGS; i++) {
		const char *code = displace_wall_warning(o, r, i, text, sizeof(text));

		if (code)
			fprintf(out, "warning: %s: %s\n", code, text);
	}
}

int displace_print_wall_text(FILE *out, const struct displace_wishes *o,
			     const struct wall_method_result *r)
{
	double loops = o->loops ? (double)o->loops : 1;
	char cpus[128];

	cpus_print(&o->cpus, cpus, sizeof(cpus));
	fputs("scprof displace --method wall: ", out);
	displace_print_name(out, o->command[0]);
	fprintf(out, " on CPU%s %s, %zu replication%s, %.4g %% confidence\n",
		CPU_COUNT(&o->cpus) > 1 ? "s" : "", cpus, r->count, r->count == 1 ? "" : "s",
		100 * o->confidence);
	fprintf(out, "  L_PUT = %.0f, L_F = %llu, found by %u run%s of the command\n", loops,
		(unsigned long long)r->loops_fluid, r->tries, r->tries == 1 ? "" : "s");
	print_replications(out, r);
	fputc('\n', out);
	print_mean(out, "tau_F", &r->tau_fluid, 1e9, "ns");
	print_mean(out, "T_PUT", &r->displaced, 1, "s ");
	print_mean(out, "getrusage", &r->rusage, 1, "s ");
	if (o->loops) {
		print_mean(out, "tau_PUT", &r->displaced, 1e6 / loops, "us");
		print_mean(out, "getrusage, a loop", &r->rusage, 1e6 / loops, "us");
	}
	fprintf(out, "  displacement is %+.2f %% from getrusage\n",
		numbers_tidy(100 * (r->displaced.mean / r->rusage.mean - 1), 2));
	/* without loops, the command is the loop */
	print_errors(out, r, 1e6, o->loops ? "us a loop" : "us");
	print_warnings(out, o, r);
	return ferror(out) ? -1 : 0;
}
