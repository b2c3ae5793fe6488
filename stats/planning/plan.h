// SPDX-License-Identifier: GPL-3.0-or-later
/* How precise a mean of n calls will be, and how many calls a precision needs: the equations of
 * Beilner (1988), and of Danzig and Melvin (1990).
 *
 * `d` is the clock's tick interval, in the unit of `mean` and deviations. Numbers of calls are
 * doubles: what the formula says, not rounded up. Arguments outside their range give NAN or
 * infinity, as the formula does.
 *
 * Beilner: "Measuring with Slow Clocks", TR-88-003. Danzig and Melvin: "High Resolution Timing with
 * Low Resolution Clocks". tests/unit/stats/test_seeds*.c compare these functions with every number
 * that the papers print, and name those that do not follow. */
#pragma once

/* ---- The normal quantile ---- */

/* Danzig and Melvin eq. (5): z with 2 Phi(z) - 1 = confidence; 1.96 at 0.95. */
double plan_two_sided_z(double confidence);

/* Beilner's w_r: the total width of an interval in standard deviations, 2 z. */
double plan_width_factor(double confidence);

/* Its inverse: the confidence of an interval `factor` standard deviations wide. */
double plan_width_confidence(double factor);

/* ---- Beilner: planning ---- */

/* Eq. (14a), which below a tick is (14b): calls needed for a total width of at most p times the
 * mean. 0 where the mean is a whole number of ticks: under (8) every call shows that number. */
double plan_beilner_calls(double w, double p, double mean, double d);

/* The same by the bound (10b), which holds whatever the fractional part of mean/d
 * is: (w/p)^2 d^2 / (4 mean^2). */
double plan_beilner_calls_bound(double w, double p, double mean, double d);

/* ---- Danzig and Melvin ---- */

/* One unit of the last of `digits` significant digits of `mean`: 100 us for the
 * second digit of 1.0 ms. mean > 0, digits >= 1. */
double plan_last_digit_unit(double mean, unsigned digits);

/* Eq. (4): calls needed to have the mean within +-error of the truth, z^2 d^2 p q / error^2. The
 * paper has mean <= d and p = mean/d; beyond, p is the fractional part of mean/d, by (9c). */
double plan_danzig_melvin_calls(double error, double mean, double d, double confidence);

/* ---- Few ticks: no normal approximation ---- */

/* Total width, in ticks, that the Clopper-Pearson interval will have after n >= 1 calls of
 * mean_ticks, on average over the binomial counts of calls that show a tick more, by (8). Its time
 * grows with the expected number of those: meant for up to some hundreds. */
double plan_exact_width(double mean_ticks, double n, double confidence);

/* The smallest number of calls for which that average is at most `width` ticks, by bisection (the
 * average falls with n, except for steps of a fraction of a per cent). */
double plan_exact_calls(double mean_ticks, double width, double confidence);

/* ---- A tick that varies ---- */

/* Variance of the tick count of one call of mean_ticks, instead of (9c), on a clock whose
 * ticks are uniform over 1/2 to 3/2 of their mean, as scprof's page clock's are: such a
 * clock cannot lock to a program, and is itself a little irregular. Ticks form a renewal
 * process; exact below two ticks, above that the limit for long durations (within 2 %). */
double plan_random_tick_variance(double mean_ticks);

/* ---- From a finished measurement ---- */

/* The result of a measurement of n calls: the interval of the mean, its standard error with degrees
 * of freedom, and the part of that error that more calls do not reduce (from values measured once
 * and subtracted). */
struct stats_finished {
	double n, mean, low, high;
	double error, freedom, fixed;
};

/* Probability that the forecast number of calls is enough. */
#define PLAN_ASSURANCE 0.8

/* Calls needed in all until the interval is at most p times the mean wide in total, if
 * further calls are like those made: enough with the probability PLAN_ASSURANCE, as the error that
 * was found is itself an estimate, whose square is distributed as chi-square over its degrees of
 * freedom (Kupper and Hafner 1989, "How appropriate are popular sample size formulas?"). n where it
 * is already; INFINITY where `fixed` alone is wider; NAN where there is nothing to go by: no
 * positive mean, no finite interval, fewer than two calls. As uncertain, relatively, as the
 * interval was wide: the mean and its variance are themselves estimates. */
double plan_calls_forecast(const struct stats_finished *f, double confidence, double p);

/* ---- Beilner: the mean and its variance ---- */

/* Eq. (9c): variance of the tick count of one call, for durations that vary so little that they
 * show at most two adjacent counts (8): f - f^2, f the fractional part of mean_ticks. */
double plan_beilner_count_variance(double mean_ticks);

/* Eq. (10a): standard deviation of the mean of n calls whose true mean is `mean`, clock tick d.
 * With f the fractional part of mean/d: d sqrt((f - f^2) / n). */
double plan_beilner_deviation(double mean, double d, double n);

/* Eq. (10b): its bound, d / (2 sqrt n). */
double plan_beilner_bound(double d, double n);
