// SPDX-License-Identifier: GPL-3.0-or-later
/* Which call site an entry of the page is: what the profiles of the run say of it, also while they
 * are written. */
#ifndef SCPROF_CLI_CAUSAL_CAUSAL_SITES_H
#define SCPROF_CLI_CAUSAL_CAUSAL_SITES_H

#include "collector/causal/causal.h"
#include "report/report.h"

struct causal_sites {
	struct profile *profile; /* all files of the directory */
	struct report *report;	 /* of them, by the page's kind of site */
	struct causal_ref *ref;	 /* private: entries by their numbers in the files */
	size_t refs, room;
};

/* What 10 % off a call is 10 % of. */
enum causal_basis {
	CAUSAL_BASIS_NONE, /* no profile tells, or it waits for others and states are not known */
	CAUSAL_BASIS_CPU,  /* time on a CPU */
	CAUSAL_BASIS_CPU_FILE, /* that, and time asleep: it waits for files only */
	CAUSAL_BASIS_ELAPSED   /* all its time: states are not known */
};
const char *causal_sites_basis(enum causal_basis basis); /* as JSON has it */

struct causal_found {
	const char *function;	       /* NULL: not known */
	const struct report_site *row; /* of its calls, the longest in all; NULL: none */
	uint64_t calls;
	struct slopes_value mean; /* seconds that a call takes by itself; NAN: not known */
	double busy;		  /* of all calls together, seconds */
	enum causal_basis basis;
};

/* 0, or -1: no file can be read, or no memory. causal_sites_free either way. */
int causal_sites_read(struct causal_sites *s, const char *directory, enum scp_causal_by by);
void causal_sites_free(struct causal_sites *s);

struct causal_found causal_sites_find(const struct causal_sites *s, enum scp_causal_by by,
				      const struct causal_page_site *site);

/* Names of the frames of a row's path, for patterns: "handle", "handle:88", "app.c:88" of each.
 * Frees what was there; how many. */
struct causal_names {
	char **name;
	size_t names;
};
void causal_sites_name(const struct causal_sites *s, const struct report_site *row,
		       struct causal_names *to);
void causal_sites_name_free(struct causal_names *n);

/* Seconds that a call takes by itself at the sites that `patterns` mean; NAN: there is none. */
double causal_sites_mean(const struct causal_sites *s, const char *patterns);

/* The functions that completed most, "recv, send, SSL_read"; "" where there are none. */
void causal_sites_most(const struct causal_sites *s, char *text, size_t size);

#endif
