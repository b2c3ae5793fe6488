// SPDX-License-Identifier: GPL-3.0-or-later
/* The text report against recorded ones, and the promises that hold for every
 * width. SCPROF_REGOLD=1 records anew: look at the difference before keeping it. */
#include "tests/unit/support/report_fixture.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "report/wording/terminal.h"
#include "report/report.h"
#include "report/wording/utf8.h"

static char *read_all(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(text);
	if (in) {
		text[fread(text, 1, 65535, in)] = '\0';
		fclose(in);
	}
	return text;
}

static void check_golden(const char *name, const char *text)
{
	char path[512];
	char *want;

	snprintf(path, sizeof(path), "%s/report_%s.txt", GOLDEN_DIR, name);
	if (getenv("SCPROF_REGOLD")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	want = read_all(path);
	assert_string_equal(text, want);
	free(want);
}

static void compare_as(bool full, const char *name, const struct profile *p, enum report_by by,
		       uint32_t width, uint32_t top)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;

	o.full = full;
	o.by = by;
	o.width = width;
	o.top = top;
	text = fixture_print(p, &o);
	check_golden(name, text);
	free(text);
}

static void compare(const char *name, const struct profile *p, enum report_by by, uint32_t width,
		    uint32_t top)
{
	compare_as(true, name, p, by, width, top);
}

static void compare_brief(const char *name, const struct profile *p, uint32_t width, uint32_t top)
{
	compare_as(false, name, p, REPORT_BY_PATH, width, top);
}

static void test_recorded_brief(void **state)
{
	static char near[] = "/nonexistent/one/lib.so", far[] = "/nonexistent/two/lib.so";
	struct profile *p = fixture_profile();

	(void)state;
	p->losses.skipped_calls = 3;
	compare_brief("brief_60", p, 60, REPORT_TOP_DEFAULT);
	compare_brief("brief_100", p, 100, REPORT_TOP_DEFAULT);
	compare_brief("brief_200", p, 200, REPORT_TOP_DEFAULT);
	compare_brief("brief_top_2", p, 100, 2);
	compare_brief("brief_alike", fixture_alike(near, far), 100, REPORT_TOP_DEFAULT);
	setenv("LC_ALL", "C", 1);
	compare_brief("brief_ascii", p, 100, REPORT_TOP_DEFAULT);
	p->function[0].overflow_calls = p->losses.overflow_calls = 50;
	p->losses.growth_errno = 28;
	compare_brief("brief_choice", p, 150, 2); /* whole, in two lines */
	setenv("LC_ALL", "C.UTF-8", 1);
}

static void test_recorded_widths(void **state)
{
	(void)state;
	compare("path_60", fixture_profile(), REPORT_BY_PATH, 60, REPORT_TOP_DEFAULT);
	compare("path_100", fixture_profile(), REPORT_BY_PATH, 100, REPORT_TOP_DEFAULT);
	compare("path_200", fixture_profile(), REPORT_BY_PATH, 200, REPORT_TOP_DEFAULT);
	compare("path_top_2", fixture_profile(), REPORT_BY_PATH, 100, 2);
}

static int first_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uintptr_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static void test_recorded_groupings(void **state)
{
	struct profile *p = fixture_profile();

	(void)state;
	compare("site", p, REPORT_BY_SITE, 100, REPORT_TOP_DEFAULT);
	compare("function", p, REPORT_BY_FUNCTION, 100, REPORT_TOP_DEFAULT);
	compare("gap", p, REPORT_BY_GAP, 100, REPORT_TOP_DEFAULT);
	compare("thread", p, REPORT_BY_THREAD, 100, REPORT_TOP_DEFAULT);
	compare("process", p, REPORT_BY_PROCESS, 100, REPORT_TOP_DEFAULT);
}

/* In each row the fold would hide the frames that tell it from the others. */
static void test_rows_that_fold_the_same_are_told_apart(void **state)
{
	static char near[] = "/nonexistent/one/lib.so", far[] = "/nonexistent/two/lib.so";

	(void)state;
	compare("alike", fixture_alike(near, far), REPORT_BY_PATH, 100, REPORT_TOP_DEFAULT);
}

/* Two calls in one line of one function. */
static void test_frames_of_one_name_show_their_offset(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	static char self[512];
	struct profile *p;
	uintptr_t bias = 0;
	char *text, *first;

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	dl_iterate_phdr(first_bias, &bias);
	p = fixture_alike(self, self);
	p->entries = 2;
	o.full = true;
	for (uint32_t i = 0; i < 2; i++) {
		p->path[i].frames = 1;
		p->path[i].frame[0] = (struct prof_frame){
			.module = 0, .exact = true, .offset = (uintptr_t)first_bias - bias + i};
	}
	text = fixture_print(p, &o);
	first = strstr(text, "first_bias+0x0 at test_text.c:");
	assert_non_null(first);
	assert_non_null(strstr(first, "first_bias+0x1 at test_text.c:"));
	free(text);
	/* Alone, it needs none. */
	p->entries = 1;
	text = fixture_print(p, &o);
	assert_non_null(strstr(text, "first_bias at test_text.c:"));
	free(text);
}

static bool shows_a_price_of_bytes(const struct profile *p)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	char *text;
	bool shows;

	o.width = 200;
	o.full = true;
	text = fixture_print(p, &o);
	shows = strstr(text, "ns/B") != NULL;
	free(text);
	return shows;
}

/* Half of the sends take 3600, half 4400; see the fixture. */
static void test_a_price_of_bytes_must_be_one(void **state)
{
	struct profile *p = fixture_profile();
	struct prof_sums *s = &p->entry[3].sums;

	(void)state;
	assert_true(shows_a_price_of_bytes(p));
	/* 60 and 68 bytes: 100 a byte, and -2400 for a call of none */
	s->bytes_sq = (prof_u128)250 * (60 * 60 + 68 * 68);
	s->bytes_units = (prof_u128)250 * (60 * 3600 + 68 * 4400);
	assert_false(shows_a_price_of_bytes(p));
	/* 32 and 96 bytes, 4000 and 4001: less than chance makes of it */
	s->bytes_sq = (prof_u128)250 * (32 * 32 + 96 * 96);
	s->bytes_units = (prof_u128)250 * (32 * 4000 + 96 * 4001);
	assert_false(shows_a_price_of_bytes(p));
	/* 1 and 2 bytes, 3600 and 4400: what differs is not the memory that moves */
	s->bytes = 250 * (1 + 2);
	s->bytes_sq = (prof_u128)250 * (1 + 2 * 2);
	s->bytes_units = (prof_u128)250 * (1 * 3600 + 2 * 4400);
	assert_false(shows_a_price_of_bytes(p));
}

/* None of 500 calls met a tick of 4 ms: exact limits say at most 29 us, and nothing agrees. */
static void test_a_slow_clock_without_a_tick_shows_its_limit(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	struct profile *p = fixture_hostile();
	struct prof_slow none = {0};
	char *text, *row;

	(void)state;
	p->entry[3].sums.slow = &none;
	o.width = 200;
	text = fixture_print(p, &o);
	row = strstr(text, "send ");
	assert_non_null(row);
	*strchr(row, '\n') = '\0';
	assert_non_null(strstr(row, " no tick [0, "));
	assert_non_null(strstr(row, " µs] "));
	assert_null(strstr(row, "yes"));
	assert_null(strstr(row, "NO"));
	free(text);
}

static void test_recorded_losses_and_ascii(void **state)
{
	struct profile *p = fixture_profile();

	(void)state;
	p->function[0].overflow_calls = p->losses.overflow_calls = 50;
	p->function[0].overflow_units = p->losses.overflow_time_units = 20000000;
	p->losses.growth_errno = 28;
	p->losses.skipped_calls = 3;
	p->losses.unmatched_ends = 1;
	setenv("LC_ALL", "C", 1);
	compare("losses", p, REPORT_BY_PATH, 80, REPORT_TOP_DEFAULT);
	compare("hostile", fixture_hostile(), REPORT_BY_PATH, 100, REPORT_TOP_DEFAULT);
	setenv("LC_ALL", "C.UTF-8", 1);
	compare("hostile_utf8", fixture_hostile(), REPORT_BY_PATH, 100, REPORT_TOP_DEFAULT);
}

/* Lines of the header and the warnings wrap; 33 columns hold their indent. A command to be copied
 * does not. */
static void check_lines(const char *text, size_t width)
{
	char *copy = strdup(text), *rest = copy, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		for (const char *c = line; *c; c++)
			assert_false((unsigned char)*c < 0x20 || *c == 0x7f);
		if (strncmp(line, "      scprof ", 13) != 0)
			assert_in_range(utf8_width(line), 0, width);
		assert_true(!*line || line[strlen(line) - 1] != ' ');
	}
	free(copy);
}

static void test_no_row_wraps_and_no_name_escapes(void **state)
{
	(void)state;
	for (uint32_t width = 33; width < 230; width++) {
		for (enum report_by by = REPORT_BY_PATH; by <= 2 * REPORT_BY_PROCESS + 1; by++) {
			struct report_options o = REPORT_OPTIONS_DEFAULT;
			char *text;

			o.by = by / 2;
			o.full = by % 2;
			o.width = width;
			text = fixture_print(fixture_hostile(), &o);
			check_lines(text, width);
			assert_null(strstr(text, "\xc2\x9b"));
			assert_null(strstr(text, "\xe2\x80\xae"));
			free(text);
		}
	}
}

static struct terminal terminal_on_pty(unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct terminal t;
	FILE *out;

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	out = fdopen(slave, "w");
	t = terminal_of(out, 0);
	fclose(out);
	close(master);
	return t;
}

static void test_terminal_is_asked(void **state)
{
	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("COLUMNS", "77", 1);
	unsetenv("NO_COLOR");
	assert_int_equal(terminal_on_pty(123).width, 123);
	assert_int_equal(terminal_on_pty(0).width, 77);
	assert_true(terminal_on_pty(80).colour);
	setenv("NO_COLOR", "1", 1);
	assert_false(terminal_on_pty(80).colour);
	setenv("NO_COLOR", "", 1);
	assert_true(terminal_on_pty(80).colour);
	setenv("TERM", "dumb", 1);
	assert_false(terminal_on_pty(80).colour);
	unsetenv("COLUMNS");
	assert_int_equal(terminal_on_pty(0).width, 100);
}

static void test_full_disk_is_an_error(void **state)
{
	struct report_options o = REPORT_OPTIONS_DEFAULT;
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	if (!out)
		skip();
	assert_int_equal(report_print(fixture_profile(), &o, out), -1);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_brief),
		cmocka_unit_test(test_recorded_widths),
		cmocka_unit_test(test_recorded_groupings),
		cmocka_unit_test(test_rows_that_fold_the_same_are_told_apart),
		cmocka_unit_test(test_frames_of_one_name_show_their_offset),
		cmocka_unit_test(test_a_price_of_bytes_must_be_one),
		cmocka_unit_test(test_a_slow_clock_without_a_tick_shows_its_limit),
		cmocka_unit_test(test_recorded_losses_and_ascii),
		cmocka_unit_test(test_no_row_wraps_and_no_name_escapes),
		cmocka_unit_test(test_terminal_is_asked),
		cmocka_unit_test(test_full_disk_is_an_error),
	};

	setenv("TZ", "UTC", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	return cmocka_run_group_tests_name("report text", tests, NULL, NULL);
}
