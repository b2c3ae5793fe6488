// SPDX-License-Identifier: GPL-3.0-or-later
/* Equations without numbers in the paper are in the order of its sections 2, 3 and 4.3. */
#include "stats/displacement/woodside.h"

double woodside_tau_fluid(const struct woodside_step *alone)
{
	return alone->time / alone->loops;
}

double woodside_displaced(const struct woodside_step *together, double tau_fluid)
{
	return together->time - together->loops * tau_fluid;
}

struct woodside_errors woodside_errors(const struct woodside_step *alone,
				       const struct woodside_step *together,
				       const struct woodside_known *known)
{
	double ratio = together->loops / alone->loops;

	return (struct woodside_errors){
		.daemons = (together->daemons - alone->daemons * ratio) / known->loops,
		.cache = known->intervals * known->first_loop / known->loops,
		.resolution = known->clock * (1 + ratio) / (2 * known->loops),
		.start = known->start / known->loops,
	};
}
