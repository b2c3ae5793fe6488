// SPDX-License-Identifier: GPL-3.0-or-later
/* The ticks of a coarse clock as a reader sees them: how long they really are,
 * how much they vary, and whether several come at once. Pure; nanoseconds. */
#ifndef SCPROF_COLLECTOR_CLOCKS_CLOCKS_TICKS_H
#define SCPROF_COLLECTOR_CLOCKS_CLOCKS_TICKS_H

#include <stddef.h>
#include <stdint.h>

/* One advance: seen between these two instants of the reference clock. */
struct tick_seen {
	uint64_t after_ns, by_ns;
	uint64_t reading; /* the new one, in the clock's own units */
};

struct tick_watch {
	struct tick_seen *seen; /* belongs to the caller; NULL: count nothing */
	size_t count, room;	/* of changes seen; those beyond `room` are left out */
	uint64_t last, last_before_ns;
	int begun;
};

void clocks_ticks_begin(struct tick_watch *w, struct tick_seen *seen, size_t room);

/* The clock was read between before_ns and after_ns. */
void clocks_ticks_note(struct tick_watch *w, uint64_t reading, uint64_t before_ns,
		       uint64_t after_ns);

/* Changes that were seen sharply enough to date them; copied to `sharp` (room for
 * all), NULL: only counted. `tick_ns`: the tick asked for. */
size_t clocks_ticks_sharp(const struct tick_watch *w, double tick_ns, struct tick_seen *sharp);

struct tick_summary {
	uint64_t ticks;			 /* between the first sharp change and the last */
	size_t lengths;			 /* single ticks whose both ends were seen sharply */
	double mean_ns, low_ns, high_ns; /* of all ticks; interval at 95 % */
	double sd_ns;			 /* of the lengths seen, and their quantiles: */
	double min_ns, p10_ns, p50_ns, p90_ns, max_ns;
	uint64_t together;	/* times that more ticks came at once than the time allows */
	double together_max_ns; /* the most that the clock then jumped beyond one tick */
};

/* `unit_ns`: a unit of the readings (ticks of a page clock: the tick asked for;
 * nanoseconds: 1). `tick_ns`: the tick asked for. `shortest`: the shortest tick
 * there can be, as a part of it. NANs where fewer than 8 changes were seen
 * sharply.
 *
 * The interval is Student's t on the means of up to 16 consecutive batches: what
 * a late tick takes from the next one, it gives back within a batch. */
void clocks_ticks_summarise(const struct tick_watch *w, double unit_ns, double tick_ns,
			    double shortest, struct tick_summary *s);

/* Rate of the clock against the reference from all sharp changes: the median of the
 * slopes between pairs (P. Sen, J. American Statistical Association 63, 1968), which
 * late ticks do not spoil. For clocks whose readings say the time (nanoseconds) and
 * whose ticks are of one length.
 *
 * Returns units a nanosecond, NAN where fewer than 8 changes were seen. *error: half
 * of Sen's interval at 95 % from Kendall's tau, which takes one tick's lateness to be
 * independent of the next one's; or, if that is more, what the rate may be off by if
 * lateness at either end of the window differs by as much as it was seen to wander
 * within it. */
double clocks_ticks_rate(const struct tick_watch *w, double tick_ns, double *error);

#endif
