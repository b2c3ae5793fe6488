// SPDX-License-Identifier: GPL-3.0-or-later
/* Numbers come from a profile, which may be anybody's: they are added up without wrapping. */
#include "report/findings/findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/wording/warning_list.h"
#include "report/wording/numbers.h"

struct prof_attached attach_summary_of(const struct profile *p, uint64_t *processes)
{
	struct prof_attached all = {0};

	*processes = 0;
	for (uint32_t i = 0; i < p->processes; i++) {
		if (p->process[i].attached.known)
			*processes += p->process[i].count;
		fold_attached(&all, &p->process[i].attached);
	}
	return all;
}

/* What threads did when recording began. */
static void describe_threads(const struct prof_attached *a, char *out, size_t room)
{
	*out = '\0';
	if (a->in_calls && a->threads == 1)
		snprintf(out, room, "; it was inside a call then, which is not recorded");
	else if (a->in_calls)
		snprintf(out, room,
			 "; %" PRIu32 " of them %s inside a call then, which is not recorded",
			 a->in_calls, a->in_calls == 1 ? "was" : "were");
}

char *attach_summary_describe(const struct profile *p, bool utf8)
{
	uint64_t processes;
	struct prof_attached a = attach_summary_of(p, &processes);
	char held[80], of[48] = "", in_calls[96], *text = NULL;

	if (!a.known)
		return NULL;
	describe_threads(&a, in_calls, sizeof(in_calls));
	if (processes > 1)
		snprintf(of, sizeof(of), " of %" PRIu64 " processes", processes);
	if (a.flags & SCP_ATTACHED_WOKEN || !a.stopped_ns)
		snprintf(held, sizeof(held), "none of which was held up");
	else
		snprintf(held, sizeof(held), "%s held up for %s at most",
			 a.threads == 1 ? "which was" : "of which one at a time was",
			 numbered_duration((double)a.stopped_ns, utf8).text);
	if (asprintf(&text, "to %" PRIu32 " thread%s%s, %s%s", a.threads, a.threads == 1 ? "" : "s",
		     of, held, in_calls) < 0)
		return NULL;
	return text;
}

void attach_summary_warn(struct report *r)
{
	uint64_t processes;
	struct prof_attached a = attach_summary_of(r->profile, &processes);

	if (!a.known)
		return;
	warning_list_note(r, "attached",
			  "Recording began while %" PRIu64 " process%s ran: %" PRIu32
			  " slots of %" PRIu32 " objects led to scprof",
			  processes, processes == 1 ? "" : "es", a.slots.written, a.slots.objects);
	if (a.slots.failed)
		warning_list_note(r, "slots-failed", "%" PRIu32 " slots could not be made writable",
				  a.slots.failed);
	if (a.slots.changed)
		warning_list_note(r, "slots-failed",
				  "%" PRIu32
				  " slots had been changed by somebody else, and are left so",
				  a.slots.changed);
}
