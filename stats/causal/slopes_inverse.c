// SPDX-License-Identifier: GPL-3.0-or-later
#include "stats/causal/slopes_system.h"

#include <math.h>

#define LEFT 1e-9 /* of a scaled column beside those before: nothing */

void slopes_inverse(double *a, size_t n, bool *dropped)
{
	for (size_t k = 0; k < n; k++) {
		double pivot = a[k * n + k];

		dropped[k] = dropped[k] || !(fabs(pivot) > LEFT);
		if (dropped[k])
			continue;
		for (size_t i = 0; i < n; i++) {
			double f = a[i * n + k] / pivot;

			if (i == k || (i < k && dropped[i]))
				continue;
			for (size_t j = 0; j < n; j++)
				a[i * n + j] -= f * a[k * n + j];
			a[i * n + k] = -f;
		}
		for (size_t j = 0; j < n; j++)
			a[k * n + j] /= pivot;
		a[k * n + k] = 1 / pivot;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (dropped[i] || dropped[j])
				a[i * n + j] = 0;
}
