// SPDX-License-Identifier: GPL-3.0-or-later
/* Programs whose throughput is algebra; tests/bench/causal/laws.py has the algebra. */
#ifndef SHAPES_H
#define SHAPES_H

#include "tests/bench/causal/trial.h"

struct shape {
	const char *name;
	void (*start)(struct trial *t);
	double mean_us[TRIAL_SITES];
	enum trial_law law;
	int clients, room;
	double think_us, rate;
};

extern const struct shape shapes[]; /* ended by a name of NULL */

#endif
