// SPDX-License-Identifier: GPL-3.0-or-later
/* The line of time on size: exact where there is no noise, and its intervals by simulation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/simulate.h"
#include "stats/regression/line.h"

#define CALLS 2000

static void add(struct stats_line_block *b, uint64_t size, uint64_t units)
{
	b->calls++;
	b->bytes += size;
	b->units += units;
	b->bytes_sq += (stats_u128)size * size;
	b->bytes_units += (stats_u128)size * units;
}

enum law { UNIFORM, TWO, LOGNORMAL, RARE, DRIFTING };
static const char *const law_name[] = {"uniform", "two", "lognormal", "one in 100", "drifting"};
static const double law_mean[] = {750, 762, 924.5, 754.4, 1277};

/* `wave` is a normal that follows its past (correlation 0.99). */
static uint64_t size_of(struct simulate *s, enum law law, double wave)
{
	switch (law) {
	case UNIFORM:
		return (uint64_t)(1 + 1499 * simulate_uniform(s));
	case TWO:
		return simulate_uniform(s) < 0.5 ? 64 : 1460;
	case LOGNORMAL:
		return (uint64_t)(1 + 300 * exp(1.5 * simulate_normal(s)));
	case RARE:
		return simulate_uniform(s) < 0.01 ? 65536 : 100;
	default:
		return (uint64_t)(1000 * exp(0.7 * wave));
	}
}

/* Half of the mean time is by the call, half by the byte; durations scatter by 40 % and
 * follow each other by `follow`. Time is counted in ticks of 1000 units. */
struct cell {
	enum law law;
	double mean_ticks, follow;
	unsigned blocks;
};

static double by_call(const struct cell *c)
{
	return 500 * c->mean_ticks;
}

static double by_byte(const struct cell *c)
{
	return by_call(c) / law_mean[c->law];
}

static void run(struct simulate *s, const struct cell *c, struct stats_line_block *b)
{
	double noise = simulate_normal(s), wave = simulate_normal(s);

	memset(b, 0, c->blocks * sizeof *b);
	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t size;
		double time;

		noise = c->follow * noise + sqrt(1 - c->follow * c->follow) * simulate_normal(s);
		wave = 0.99 * wave + sqrt(1 - 0.99 * 0.99) * simulate_normal(s);
		size = size_of(s, c->law, wave);
		time = (by_call(c) + by_byte(c) * (double)size) * exp(0.4 * noise - 0.08);
		add(&b[i * c->blocks / CALLS], size, 1000 * simulate_ticks(s, time, 1000));
	}
}

struct outcome {
	unsigned call, byte;
};

static struct outcome repeat(const struct cell *c, uint64_t seed, unsigned trials)
{
	struct simulate s = {seed};
	struct stats_line_block b[64];
	struct outcome o = {0};

	for (unsigned i = 0; i < trials; i++) {
		struct stats_line_fit f;

		run(&s, c, b);
		assert_int_equal(line_fit_blocks(b, c->blocks, &f, 0.95), 0);
		o.call += f.call.low <= by_call(c) && by_call(c) <= f.call.high;
		o.byte += f.byte.low <= by_byte(c) && by_byte(c) <= f.byte.high;
	}
	return o;
}

static void test_intervals_cover_both_prices(void **state)
{
	static const struct cell cell[] = {
		{UNIFORM, 0.05, 0, 64}, {UNIFORM, 3, 0, 33},	 {TWO, 0.3, 0, 48},
		{TWO, 1000, 0.9, 64},	{LOGNORMAL, 0.1, 0, 64}, {LOGNORMAL, 1, 0.9, 40},
		{RARE, 0.1, 0, 64},	{RARE, 100, 0, 48},	 {DRIFTING, 0.3, 0.5, 64},
		{DRIFTING, 3, 0, 64},	{UNIFORM, 100, 0.9, 62},
	};
	unsigned trials = simulate_trials(800);

	(void)state;
	for (size_t i = 0; i < sizeof cell / sizeof cell[0]; i++) {
		struct outcome o = repeat(&cell[i], 400 + i, trials);
		char what[80];

		snprintf(what, sizeof what, "%s sizes, mean %g ticks, AR %g, a call",
			 law_name[cell[i].law], cell[i].mean_ticks, cell[i].follow);
		simulate_assert_rate(what, o.call, trials, 0.93, 0.975);
		strcpy(strrchr(what, ' '), " byte");
		simulate_assert_rate(what, o.byte, trials, 0.93, 0.975);
	}
}

/* Sizes around `base`, time exactly 7 + 3 x size. */
static void exact(struct stats_line_block *b, uint64_t base)
{
	memset(b, 0, 20 * sizeof *b);
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t size = base + i * i % 101;

		add(&b[i / 25], size, 7 + 3 * size);
	}
}

static void test_a_line_without_noise_comes_out_exactly(void **state)
{
	struct stats_line_block b[20];
	struct stats_line_fit f;

	(void)state;
	exact(b, 0);
	assert_int_equal(line_fit_blocks(b, 20, &f, 0.95), 0);
	assert_true(f.byte.value == 3);
	assert_float_equal(f.call.value, 7, 1e-12);
	assert_true(f.byte.error < 1e-12 && f.call.error < 1e-12);
	/* Sizes of 2^40: their squares differ in the 40th digit only */
	exact(b, UINT64_C(1) << 40);
	assert_int_equal(line_fit_blocks(b, 20, &f, 0.95), 0);
	assert_float_equal(f.byte.value, 3, 1e-12);
	assert_true(f.byte.error < 1e-12);
}

static void test_a_thousand_million_calls_lose_nothing(void **state)
{
	struct stats_line_block b[40];
	struct stats_line_fit f;

	(void)state;
	for (unsigned i = 0; i < 40; i++) {
		uint64_t n = 25000000, small = 3 + i % 3, large = (UINT64_C(1) << 20) + i;

		/* half of each size, 1000 + size / 2^20 units scaled by 2^20 */
		b[i] = (struct stats_line_block){
			2 * n, n * (small + large), n * (small + large + (UINT64_C(2000) << 20)),
			(stats_u128)n * (small * small + large * large),
			(stats_u128)n * (small * (small + (UINT64_C(1000) << 20)) +
					 large * (large + (UINT64_C(1000) << 20)))};
	}
	assert_int_equal(line_fit_blocks(b, 40, &f, 0.95), 0);
	assert_float_equal(f.byte.value, 1, 1e-12);
	assert_float_equal(f.call.value, 1048576000, 1e-3);
}

/* One replicate of five blocks by leaving out each in turn with line_fit. */
static void test_the_error_is_the_jackknifes(void **state)
{
	struct stats_line_block b[5] = {{0}};
	struct stats_line_fit f;
	struct simulate s = {77};
	double left[5], square = 0;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 10 + 3 * i; k++)
			add(&b[i], simulate_bits(&s) % 1000, simulate_bits(&s) % 5000);
	assert_int_equal(line_fit_blocks(b, 5, &f, 0.95), 0);
	for (unsigned out = 0; out < 5; out++) {
		struct stats_line_block a = {0};
		struct stats_line_fit without;

		for (unsigned i = 0; i < 5; i++) {
			if (i == out)
				continue;
			a.calls += b[i].calls;
			a.bytes += b[i].bytes;
			a.units += b[i].units;
			a.bytes_sq += b[i].bytes_sq;
			a.bytes_units += b[i].bytes_units;
		}
		assert_int_equal(line_fit_blocks(&a, 1, &without, 0.95), 0);
		left[out] = without.byte.value;
		square += pow(left[out] - f.byte.value, 2);
	}
	assert_true(f.byte.error >= sqrt(square) * (1 - 1e-9));
	assert_true(f.byte.error <= sqrt(3 * square)); /* what correlation of neighbours adds */
}

static void test_what_gives_no_line_or_no_error(void **state)
{
	struct stats_line_block b[4] = {{0}};
	struct stats_line_fit f;

	(void)state;
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), -1);
	add(&b[0], 100, 5);
	add(&b[2], 100, 7);
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), -1);
	add(&b[2], 300, 26);
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), 0);
	assert_float_equal(f.byte.value, 0.1, 1e-12);
	assert_true(isinf(f.byte.error) && isinf(f.call.high));
	/* three blocks, one of which has all large sizes: without it there is no slope */
	add(&b[3], 100, 6);
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), 0);
	assert_true(isinf(f.byte.error));
	for (unsigned i = 0; i < 4; i++) {
		b[i] = (struct stats_line_block){0};
		add(&b[i], 10, 0);
		add(&b[i], 20, 0);
	}
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), 0);
	assert_true(f.byte.value == 0 && isinf(f.byte.high) && isinf(f.call.error));
	add(&b[1], 1000, 0);
	b[0].bytes_sq = 0; /* squares below those of the mean, though not those of all */
	assert_int_equal(line_fit_blocks(b, 4, &f, 0.95), -1);
}

/* Blocks that have all sizes in the same numbers are as good as as many slopes of their own. */
static void test_equal_blocks_give_one_degree_of_freedom_less(void **state)
{
	struct stats_line_block b[10] = {{0}};
	struct stats_line_fit f;

	(void)state;
	for (unsigned i = 0; i < 10; i++)
		for (unsigned k = 1; k <= 20; k++)
			add(&b[i], 10 * k, 100 + k * (20 + i % 2));
	assert_int_equal(line_fit_blocks(b, 10, &f, 0.95), 0);
	assert_float_equal(f.byte.freedom, 9, 1e-9);
	assert_float_equal(f.call.freedom, 9, 1e-9);
	assert_float_equal(f.byte.value, 2.05, 1e-12);
	/* slopes 2.0 and 2.1, each left out in turn moves the mean by 0.05 / 9 */
	assert_float_equal(f.byte.error, sqrt(10) * 0.05 / 9, 1e-12);
	assert_float_equal(f.byte.high - f.byte.low, 2 * 2.262157 * f.byte.error, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals_cover_both_prices),
		cmocka_unit_test(test_a_line_without_noise_comes_out_exactly),
		cmocka_unit_test(test_a_thousand_million_calls_lose_nothing),
		cmocka_unit_test(test_the_error_is_the_jackknifes),
		cmocka_unit_test(test_what_gives_no_line_or_no_error),
		cmocka_unit_test(test_equal_blocks_give_one_degree_of_freedom_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
