// SPDX-License-Identifier: GPL-3.0-or-later
/* The rule of stopping.h. */
#include "stats/mean/stopping.h"

#include <math.h>

void stopping_begin(struct stopping *s, double relative)
{
	*s = (struct stopping){.relative = relative, .due = STOPPING_CALLS, .seen = NAN};
}

bool stopping_is_due(const struct stopping *s, uint64_t calls)
{
	return calls >= s->due;
}

/* Can the interval be relied on at all? Calls synchronous with the tick stay unreliable however
 * many there are. */
static bool is_enough(const struct stopping_look *l)
{
	double design = isnan(l->design_effect) ? 1 : fmax(l->design_effect, 1);

	return l->used >= STOPPING_CALLS && l->freedom >= STOPPING_BATCHES && !l->unreliable &&
	       !isnan(l->design_effect) && (double)l->used / design >= STOPPING_EFFECTIVE;
}

bool stopping_look(struct stopping *s, const struct stopping_look *l)
{
	double half = fmax(l->high - l->mean, l->mean - l->low);
	double due = ceil(STOPPING_GROWTH * (double)l->calls);

	s->seen = isfinite(half) && l->mean > 0 ? half / l->mean : NAN;
	s->looks++;
	s->due = due < 0x1p64 ? (uint64_t)due : UINT64_MAX;
	if (!(s->seen <= s->relative) || !is_enough(l))
		s->in_turn = 0;
	else if (s->in_turn < STOPPING_IN_TURN)
		s->in_turn++;
	return stopping_reached(s);
}
