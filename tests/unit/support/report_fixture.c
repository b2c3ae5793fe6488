// SPDX-License-Identifier: GPL-3.0-or-later
/* See report_fixture.h. */
#include "tests/unit/support/report_fixture.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>

#define HOSTILE                                                                                    \
	"\033]0;owned\007\033[31mred\x9b\xff\xe2\x80\xae"                                          \
	"evil\n"

static char app[] = "/nonexistent/bin/app", library[] = "/nonexistent/lib/libnet.so.1";
static char hostile[] = HOSTILE, hostile_path[] = "/nonexistent/" HOSTILE;

enum { RECV, SEND, CLOSE, FUNCTIONS };
static struct prof_function functions[FUNCTIONS];
static struct prof_module modules[2];
static struct prof_frame deep[9], shallow[1], jit[2];
static struct prof_path paths[4];
static struct prof_sample samples[5];
static struct prof_process processes[1];
static struct prof_table tables[2];
static struct prof_entry entries[6];
static struct prof_gap gaps[4];
static struct prof_hist hist;
static struct prof_slow slow;
static char program[] = "svc"; /* a link to app */
static char *argv[] = {"app", "--port", "80", "two words", NULL};
static char *hostile_argv[] = {hostile, NULL};
static struct profile profile;

/* `calls` calls of `units` each, alternately 10 % less and more. */
static struct prof_sums even_calls(uint64_t calls, uint64_t units, uint64_t bytes)
{
	uint64_t less = units - units / 10, more = units + units / 10;
	struct prof_sums s = {.calls = calls, .units = calls * units};

	s.units_sq =
		(prof_u128)(calls / 2) * less * less + (prof_u128)(calls - calls / 2) * more * more;
	s.min_units = less;
	s.max_units = more;
	s.has_bytes = bytes > 0;
	s.bytes = calls * bytes;
	s.bytes_sq = (prof_u128)calls * bytes * bytes;
	s.bytes_units = (prof_u128)calls * bytes * units;
	return s;
}

static void make_paths(void)
{
	for (uint32_t i = 0; i < 9; i++)
		deep[i] = (struct prof_frame){.module = i < 2, .offset = 0x1000 + 0x10 * i};
	shallow[0] = (struct prof_frame){.module = 0, .offset = 0x2000};
	jit[0] = (struct prof_frame){.module = PROF_NO_MODULE, .offset = 0x7f0000001234};
	jit[1] = (struct prof_frame){.module = 0, .exact = true, .offset = 0x3000};
	paths[0] = (struct prof_path){deep, 9, 0};
	paths[1] = (struct prof_path){shallow, 1, SCP_PATH_SMALL_STACK};
	paths[2] = (struct prof_path){jit, 2, SCP_PATH_CUT};
	modules[0] = (struct prof_module){.path = app};
	modules[1] = (struct prof_module){.path = library};
}

static void make_functions(void)
{
	functions[RECV] = (struct prof_function){.name = "recv", .library = "libc.so.6"};
	functions[SEND] = (struct prof_function){.name = "send", .library = "libc.so.6"};
	functions[CLOSE] = (struct prof_function){.name = "close", .library = "libc.so.6"};
}

static struct prof_entry entry(uint32_t table, uint32_t path, uint32_t function, uint32_t outcome,
			       struct prof_sums sums)
{
	return (struct prof_entry){.table = table,
				   .path = path,
				   .function = function,
				   .outcome = outcome,
				   .sums = sums};
}

static void make_entries(void)
{
	entries[0] = entry(0, 0, RECV, SCP_COMPLETED, even_calls(1000, 2000, 100));
	entries[1] = entry(1, 0, RECV, SCP_COMPLETED, even_calls(3000, 2000, 100));
	entries[2] = entry(0, 0, RECV, SCP_WOULD_BLOCK, even_calls(10, 500, 0));
	entries[3] = entry(0, 1, SEND, SCP_COMPLETED, even_calls(500, 4000, 64));
	entries[4] = entry(0, 2, SEND, SCP_ERROR, even_calls(1, 700, 0));
	entries[5] = entry(0, 1, CLOSE, SCP_COMPLETED, even_calls(2, 1000, 0));
	/* Half of the sends are of 32 bytes and take 1000 less: 2000 + 2000/64 a byte more. */
	entries[3].sums.bytes_sq = (prof_u128)250 * (32 * 32 + 96 * 96);
	entries[3].sums.bytes_units = (prof_u128)250 * (32 * 3600 + 96 * 4400);
	memset(&hist, 0, sizeof(hist));
	/* 4000 calls in the bucket of 1792 .. 2047: e = 10, sub-bucket 6. */
	hist.count[(10 - 2) * 8 + 6] = 1000;
	entries[0].sums.hist = fixture_blocks(&hist);
}

struct prof_blocks *fixture_blocks(struct prof_hist *of)
{
	static struct prof_blocks blocks;

	for (unsigned i = 0; i < SCP_HIST_BLOCKS; i++)
		blocks.block[i] = of->count + (size_t)i * SCP_HIST_BUCKETS;
	return &blocks;
}

/* Thread 0: calls 2000000 + 5000 + 2000000 + 700 + 2000, nested 700, gaps 992000. */
static void make_tables(void)
{
	gaps[0] = (struct prof_gap){0, 0, 3, 500, 500000, 1200, (prof_u128)500 * 1000 * 1000};
	gaps[1] = (struct prof_gap){0, 3, 0, 500, 450000, 1100, (prof_u128)500 * 900 * 900};
	gaps[2] = (struct prof_gap){0, PROF_NONE, 0, 1, 42000, 42000, (prof_u128)42000 * 42000};
	gaps[3] = (struct prof_gap){1, 1, 1, 2999, 2999000, 1000, (prof_u128)2999 * 1000000};
	tables[0] = (struct prof_table){.tid = 100,
					.threads = 1,
					.name = "app",
					.time_units = 4999000,
					.nested_units = 700,
					.nested_calls = 1,
					.call_units = 4007700,
					.gap_units = 992000};
	tables[1] = (struct prof_table){.tid = 101,
					.threads = 3,
					.name = "worker",
					.time_units = 8999000,
					.call_units = 6000000,
					.gap_units = 2999000};
	processes[0] = (struct prof_process){.pid = 100,
					     .ppid = 1,
					     .count = 1,
					     .exe = app,
					     .program = program,
					     .argv = argv,
					     .argc = 4,
					     .end_state = SCP_END_EXIT,
					     .start_real_ns = UINT64_C(1700000000123000000),
					     .start_mono_ns = 1000000000,
					     .end_mono_ns = 1010000000,
					     .file = "app.scp"};
}

struct profile *fixture_profile(void)
{
	make_functions();
	make_paths();
	make_entries();
	make_tables();
	memset(&profile, 0, sizeof(profile));
	profile.clock = (struct prof_clock){.kind = SCP_CLOCK_TSC,
					    .requested = SCP_CLOCK_TSC,
					    .ns_per_unit = 1,
					    .rate_error = 1e-6,
					    .resolution_units = 1,
					    .tick_ns = 1,
					    .read_ns = 12.5};
	profile.process = processes, profile.processes = 1;
	profile.table = tables, profile.tables = 2;
	profile.module = modules, profile.modules = 2;
	profile.path = paths, profile.paths = 3;
	profile.function = functions, profile.functions = FUNCTIONS;
	profile.entry = entries, profile.entries = 6;
	profile.gap = gaps, profile.gaps = 4;
	return &profile;
}

struct profile *fixture_hostile(void)
{
	struct profile *p = fixture_profile();

	functions[RECV].name = functions[RECV].library = hostile;
	modules[0].path = modules[1].path = hostile_path;
	processes[0].argv = hostile_argv;
	processes[0].argc = 1;
	processes[0].exe = hostile_path;
	processes[0].program = hostile;
	memcpy(tables[0].name, HOSTILE, 15);
	p->flags |= SCP_FILE_DUAL;
	p->slow = (struct prof_clock){.kind = SCP_CLOCK_COARSE,
				      .ns_per_unit = 1,
				      .resolution_units = 4000000,
				      .tick_ns = 4e6,
				      .read_ns = 8};
	slow = (struct prof_slow){
		.units = 4000000, .max_units = 4000000, .units_sq = (prof_u128)4000000 * 4000000};
	entries[3].sums.slow = &slow;
	return p;
}

static struct prof_sample sample(uint32_t path, uint32_t kind, uint32_t count)
{
	struct prof_sample s = {.path = path, .kind = kind};

	for (uint32_t i = 0; i < count; i++)
		s.count[i % SCP_SAMPLE_BATCHES]++;
	return s;
}

struct profile *fixture_sampled(struct profile *p)
{
	paths[3] = (struct prof_path){NULL, 0, PROF_PATH_SAMPLED};
	p->paths = 4;
	samples[0] = sample(1, SCP_SAMPLE_COMPUTING, 30);
	samples[1] = sample(0, SCP_SAMPLE_COMPUTING, 60);
	samples[2] = sample(3, SCP_SAMPLE_COMPUTING, 10);
	samples[3] = sample(PROF_NONE, SCP_SAMPLE_RECORDING, 20);
	samples[4] = sample(PROF_NONE, SCP_SAMPLE_IN_CALL, 80);
	p->sample = samples;
	p->samples = 5;
	p->sampling = (struct prof_sampling){.period_ns = 1000000, .cpu_ns = 400000000};
	return p;
}

struct profile *fixture_alike(char *near, char *far)
{
	static struct prof_frame frame[5][9];
	static struct prof_path alike[5];
	static struct prof_module two[2];
	struct profile *p = fixture_profile();

	for (uint32_t i = 0; i < 5; i++) {
		memcpy(frame[i], deep, sizeof(deep));
		alike[i] = (struct prof_path){frame[i], 9, 0};
		entries[i] = entry(0, i, RECV, SCP_COMPLETED, even_calls(1000 - i, 2000, 0));
	}
	frame[1][7].offset = 0x4444;
	frame[2][7].offset = 0x4444;
	frame[2][8].offset = 0x5555;
	/* the last two differ in the folder of a module alone */
	frame[3][0].offset = frame[4][0].offset = 0x6666;
	frame[4][6].module = 1;
	two[0] = (struct prof_module){.path = near};
	two[1] = (struct prof_module){.path = far};
	p->path = alike, p->paths = 5;
	p->module = two;
	p->entries = 5;
	p->gaps = 0;
	return p;
}

uint64_t *fixture_batches(void)
{
	static uint64_t room[64][SCP_BATCHES];
	static uint32_t used;

	assert_in_range(used, 0, 63);
	memset(room[used], 0, sizeof(room[used]));
	return room[used++];
}

char *fixture_print(const struct profile *p, const struct report_options *o)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(report_print(p, o, out), 0);
	fclose(out);
	return text;
}
