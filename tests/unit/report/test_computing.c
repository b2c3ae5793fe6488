// SPDX-License-Identifier: GPL-3.0-or-later
/* What was computed, in each form of report: its call paths, and CPU time that adds up. */
#include "tests/unit/support/report_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"
#include "report/render/stacks/flame.h"

#define SAMPLE_NS UINT64_C(2000000) /* what one stands for */

static char *printed(struct profile *p, enum report_format format, enum report_weight weight,
		     enum report_by by)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;

	o.format = format;
	o.weight = weight;
	o.by = by;
	return fixture_print(p, &o);
}

static void paths_share_the_time_that_the_kernel_charged(void **state)
{
	char *folded = printed(fixture_sampled(fixture_profile()), REPORT_FOLDED,
			       REPORT_WEIGHT_COMPUTING, REPORT_BY_PATH);

	(void)state;
	assert_string_equal(folded,
			    "app+0x1080;app+0x1070;app+0x1060;app+0x1050;app+0x1040;app+0x1030;"
			    "app+0x1020;libnet.so.1+0x1010;libnet.so.1+0x1000 120000000\n"
			    "(caller only: its stack had no room to look further);app+0x2000 "
			    "60000000\n"
			    "(no frames) 20000000\n");
	free(folded);
}

static void calls_have_no_computing_and_computing_no_calls(void **state)
{
	(void)state;
	for (enum report_weight w = 0; w < REPORT_WEIGHT_COMPUTING; w++) {
		char *with = printed(fixture_sampled(fixture_profile()), REPORT_FOLDED, w,
				     REPORT_BY_PATH);
		char *without = printed(fixture_profile(), REPORT_FOLDED, w, REPORT_BY_PATH);

		assert_string_equal(with, without);
		free(with);
		free(without);
	}
}

static void by_function_a_path_is_a_function(void **state)
{
	char *folded = printed(fixture_sampled(fixture_profile()), REPORT_FOLDED,
			       REPORT_WEIGHT_COMPUTING, REPORT_BY_FUNCTION);

	(void)state;
	/* none has a name: all functions of a module are one */
	assert_string_equal(folded, "libnet.so.1+0x1000 120000000\n"
				    "app+0x2000 60000000\n"
				    "(no frames) 20000000\n");
	free(folded);
}

static void csv_has_rows_of_functions_that_compute(void **state)
{
	char *csv = printed(fixture_sampled(fixture_profile()), REPORT_CSV, REPORT_WEIGHT_COMPUTING,
			    REPORT_BY_PATH);
	const char *head = "function,module,language,samples,share,share_low,share_high,cpu_s,"
			   "path_end,path,path_places\r\n"
			   ",/nonexistent/lib/libnet.so.1,,60,0.5,";

	(void)state;
	assert_memory_equal(csv, head, strlen(head));
	assert_non_null(strstr(csv, ",0.12,,\"libnet.so.1+0x1000;"));
	assert_non_null(strstr(csv, "\r\n,,,10,"));
	free(csv);
}

static void callgrind_has_them_as_a_cost_of_their_functions(void **state)
{
	char *text = printed(fixture_sampled(fixture_profile()), REPORT_CALLGRIND,
			     REPORT_WEIGHT_TIME, REPORT_BY_PATH);

	(void)state;
	assert_non_null(strstr(text, "events: ns calls bytes computing_ns\n"));
	assert_non_null(strstr(text, " 200000000\n\nob=")); /* of the summary */
	assert_non_null(strstr(text, ")\n0 0 0 0 120000000\n"));
	free(text);
}

static void a_flame_graph_has_both_in_one(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_sampled(fixture_profile());
	struct string_index strings = {0};
	struct report *r;
	struct flame f;
	uint32_t boxes;

	(void)state;
	/* the path of most calls computes less than another */
	p->sample[0].path = 0;
	p->sample[1].path = 1;
	r = report_build(p, &o);
	assert_non_null(r);
	assert_int_equal(flame_build(&f, r, &strings), 0);
	/* the path without frames is of no box but the top; others are those of calls */
	assert_true(fabs(f.box[0].computing_ns - 100 * SAMPLE_NS) < 1);
	for (uint32_t i = 0; i < f.boxes; i++) {
		const struct flame_box *b = &f.box[i];
		double below = 0;

		for (uint32_t k = i + 1; k < f.boxes; k++)
			below += f.box[k].parent == i ? flame_width(&f.box[k]) : 0;
		assert_true(below <= flame_width(b) + 1);
		assert_true(!b->computing_ns || b->kind != FLAME_CALL);
		for (uint32_t k = i + 1; k < f.boxes; k++)
			assert_true(f.box[k].parent != b->parent ||
				    flame_width(&f.box[k]) <= flame_width(b));
	}
	boxes = f.boxes;
	flame_free(&f);
	string_index_clear(&strings);
	report_free(r);
	r = report_build(fixture_profile(), &o);
	assert_int_equal(flame_build(&f, r, &strings), 0);
	assert_int_equal(f.boxes, boxes);
	assert_true(f.box[0].computing_ns == 0);
	flame_free(&f);
	string_index_clear(&strings);
	report_free(r);
}

/* It may be generated code, or that of a process which was gone before its maps were read. */
static void of_code_in_no_module_nothing_is_claimed(void **state)
{
	char *text = printed(fixture_sampled(fixture_profile()), REPORT_TEXT, REPORT_WEIGHT_TIME,
			     REPORT_BY_PATH);

	(void)state;
	assert_non_null(strstr(text, "\n(no known module) "));
	assert_null(strstr(text, "generated"));
	free(text);
}

static void hostile_names_break_no_line(void **state)
{
	char *folded = printed(fixture_sampled(fixture_hostile()), REPORT_FOLDED,
			       REPORT_WEIGHT_COMPUTING, REPORT_BY_PATH);
	int lines = 0;

	(void)state;
	for (const char *at = folded; *at; at++) {
		lines += *at == '\n';
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	}
	assert_int_equal(lines, 3);
	free(folded);
}

static void samples_of_a_count_of_0_are_nothing(void **state)
{
	static const enum report_format formats[] = {REPORT_FOLDED, REPORT_CALLGRIND, REPORT_SVG,
						     REPORT_HTML, REPORT_CSV};

	(void)state;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct profile *p = fixture_sampled(fixture_profile());

		for (uint32_t k = 0; k < p->samples; k++)
			memset(p->sample[k].count, 0, sizeof(p->sample[k].count));
		char *with = printed(p, formats[i], REPORT_WEIGHT_TIME, REPORT_BY_PATH);
		char *without =
			printed(fixture_profile(), formats[i], REPORT_WEIGHT_TIME, REPORT_BY_PATH);

		assert_string_equal(with, without);
		free(with);
		free(without);
	}
}

static void without_samples_the_weight_is_refused(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_profile();

	(void)state;
	o.weight = REPORT_WEIGHT_COMPUTING;
	assert_non_null(report_weight_missing(p, &o));
	assert_null(report_weight_missing(fixture_sampled(p), &o));
	p->sampling.flags = SCP_SAMPLING_MIXED;
	assert_non_null(report_weight_missing(p, &o));
}

/* Samples that another process lost are in the count, too: what the kernel charged decides. */
static void what_was_lost_is_told_where_it_matters(void **state)
{
	struct profile *p = fixture_sampled(fixture_profile());
	uint64_t found = 0;

	(void)state;
	p->sample[0].count[0] += 10000;
	for (uint32_t i = 0; i < p->samples; i++)
		for (unsigned k = 0; k < SCP_SAMPLE_BATCHES; k++)
			found += p->sample[i].count[k];
	p->sampling.period_ns = SAMPLE_NS;
	p->sampling.cpu_ns = found * SAMPLE_NS;
	p->sampling.lost = 1000000;
	assert_true(computing_lost(p) == 0);
	p->sampling.cpu_ns = 2 * found * SAMPLE_NS;
	assert_true(fabs(computing_lost(p) - 0.5) < 1e-9);
	p->flags |= SCP_FILE_WINDOWS; /* CPU time while nothing was recorded has no samples */
	assert_true(computing_lost(p) == 0);
	p->flags &= ~SCP_FILE_WINDOWS;
	p->sampling.lost = 0;
	assert_true(computing_lost(p) == 0);
	/* of user space alone the kernel's time says nothing, and all that is lost is ours */
	p->sampling.flags = SCP_SAMPLING_USER;
	p->sampling.lost = found / 3;
	assert_true(fabs(computing_lost(p) - 0.25) < 1e-4);
	p->sampling.lost = found / 100;
	assert_true(computing_lost(p) == 0);
}

static double computed_s(struct profile *p)
{
	struct report *r = computing_report(p, NULL, 0.95);
	double s = r->computing->cpu_s + r->computing->in_calls_cpu_s;

	computing_report_free(r);
	return s;
}

/* Of a daemon's CPU time the command, which has ended, knows nothing. */
static void what_outlives_the_command_computes_what_samples_tell(void **state)
{
	struct profile *p = fixture_sampled(fixture_profile());

	(void)state;
	assert_true(fabs(computed_s(p) - 0.4) < 1e-9);
	p->sampling.cpu_ns = 2000000;
	assert_true(fabs(computed_s(p) - 0.2) < 1e-9);
	p->usage = (struct scp_usage){.known = SCP_USAGE_CPU, .cpu_ns = 190000000};
	assert_true(fabs(computed_s(p) - 0.19) < 1e-9);
	p->usage.cpu_ns = 20000000; /* of some processes alone */
	assert_true(fabs(computed_s(p) - 0.2) < 1e-9);
	p->sampling.cpu_ns = 170000000;
	assert_true(fabs(computed_s(p) - 0.17) < 1e-9);
	p->usage.cpu_ns = 340000000; /* of processes that were not sampled, too */
	assert_true(fabs(computed_s(p) - 0.17) < 1e-9);
	p->sampling.period_ns = 40000000; /* few samples, and which account is theirs is clear */
	p->sampling.cpu_ns = 2000000000;
	p->usage.cpu_ns = 7000000000;
	assert_true(fabs(computed_s(p) - 7) < 1e-9);
	p->usage = (struct scp_usage){0};
}

static bool says_recording(struct profile *p, uint64_t samples)
{
	char *text;
	bool says;

	p->sample[3].count[0] = samples;
	text = printed(p, REPORT_TEXT, REPORT_WEIGHT_TIME, REPORT_BY_PATH);
	says = strstr(text, "  + recording by scprof: ");
	free(text);
	return says;
}

static void of_two_samples_no_share_of_recording_is_told(void **state)
{
	struct profile *p = fixture_sampled(fixture_profile());

	(void)state;
	for (unsigned k = 0; k < SCP_SAMPLE_BATCHES; k++)
		p->sample[0].count[k] = p->sample[1].count[k] = p->sample[3].count[k] = 0;
	assert_true(says_recording(p, 3));
	assert_false(says_recording(p, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_share_the_time_that_the_kernel_charged),
		cmocka_unit_test(calls_have_no_computing_and_computing_no_calls),
		cmocka_unit_test(by_function_a_path_is_a_function),
		cmocka_unit_test(csv_has_rows_of_functions_that_compute),
		cmocka_unit_test(callgrind_has_them_as_a_cost_of_their_functions),
		cmocka_unit_test(a_flame_graph_has_both_in_one),
		cmocka_unit_test(of_code_in_no_module_nothing_is_claimed),
		cmocka_unit_test(hostile_names_break_no_line),
		cmocka_unit_test(samples_of_a_count_of_0_are_nothing),
		cmocka_unit_test(without_samples_the_weight_is_refused),
		cmocka_unit_test(what_was_lost_is_told_where_it_matters),
		cmocka_unit_test(what_outlives_the_command_computes_what_samples_tell),
		cmocka_unit_test(of_two_samples_no_share_of_recording_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
