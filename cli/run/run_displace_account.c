// SPDX-License-Identifier: GPL-3.0-or-later
/* Puts the account of a run, as `scprof displace` prints it, into its profile. */
#include "cli/run/run_displace.h"

#include <time.h>

#include "cli/displace/displace_print.h"

static struct prof_account_cpu in_ns(const struct displace_cpu *c)
{
	return (struct prof_account_cpu){
		.cpu = (uint32_t)c->cpu,
		.wall_ns = c->wall * 1e9,
		.part_ns = {[SCP_ACCOUNT_PROGRAM] = c->program * 1e9,
			    [SCP_ACCOUNT_UNCHARGED] = c->excess * 1e9,
			    [SCP_ACCOUNT_OTHERS] = c->others * 1e9,
			    [SCP_ACCOUNT_SCPROF] = c->scprof * 1e9,
			    [SCP_ACCOUNT_INTERRUPTS] = (c->resting + c->switching) * 1e9,
			    [SCP_ACCOUNT_STOLEN] = c->stolen * 1e9,
			    [SCP_ACCOUNT_IDLE] = c->idle * 1e9,
			    [SCP_ACCOUNT_REMAINDER] = c->remainder * 1e9},
	};
}

/* The sentence first, then a text for each warning. */
static int add_texts(struct prof_account *a, const struct displace_summary *s)
{
	char sentence[512];

	displace_sentence(s, sentence, sizeof(sentence));
	if (account_add_text(a, sentence))
		return -1;
	for (unsigned bit = 1; bit && bit <= s->warnings; bit <<= 1)
		if (s->warnings & bit && account_add_text(a, displace_warnings_text(bit)))
			return -1;
	return 0;
}

int run_displace_note(const struct displace_summary *s, struct profile *p)
{
	const struct displace_run *run = &s->run[0];
	struct prof_account *a = account_add(p);
	struct timespec now;

	if (!a)
		return -1;
	clock_gettime(CLOCK_REALTIME, &now);
	a->run = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	a->uncharged = (struct prof_cost_value){run->lost.value * 1e9, run->lost.error * 1e9,
						run->lost.freedom};
	a->rusage_ns = s->accounting.rusage * 1e9;
	for (size_t i = 0; i < s->cpus; i++) {
		struct prof_account_cpu cpu = in_ns(&s->cpu[i]);

		if (account_add_cpu(a, &cpu))
			return -1;
	}
	return add_texts(a, s);
}
