// SPDX-License-Identifier: GPL-3.0-or-later
/* Work that lasts as long as the intervals of the paper did, so that their proportion to a tick of
 * 1 ms is the paper's: a null message takes a thousandth of the time today. */
#ifndef DASH_PACE_H
#define DASH_PACE_H

/* Durations are those of Beilner 1988, Table 17b, times `pace`; 0: none. Call before fork. */
void pace_begin(double pace);

/* Be busy, from now on, as long as the interval that begins with this point, 1 to 12, lasts. */
void pace_fill(unsigned point);

#endif
