// SPDX-License-Identifier: GPL-3.0-or-later
/* Damaged files are refused with a message or load into a sound model. Worth
 * most under ASan and UBSan (make sanitize).
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

static struct scp_build good;
static struct scp_sample at;

static int make_good(void **state)
{
	(void)state;
	scp_build_sample(&good, &at);
	return 0;
}

static int free_good(void **state)
{
	(void)state;
	scp_build_free(&good);
	return 0;
}

/* The file with `size` bytes at `offset` replaced must fail and say `text`. */
static void refuse(uint64_t offset, const void *bytes, size_t size, const char *text)
{
	const char *path = scp_build_name("damaged.scp");
	struct profile *p = profile_new();
	struct profile_error err;
	uint8_t kept[64];

	memcpy(kept, good.bytes + offset, size);
	memcpy(good.bytes + offset, bytes, size);
	scp_build_save(&good, path);
	memcpy(good.bytes + offset, kept, size);
	if (profile_add(p, path, &err) == 0)
		fail_msg("loaded, though %s", text);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	if (!strstr(err.text, "damaged.scp"))
		fail_msg("\"%s\" does not name the file", err.text);
	profile_free(p);
}

#define REFUSE(type, base, field, value, text)                                                     \
	do {                                                                                       \
		__typeof__(((type *)0)->field) v_ = (value);                                       \
		refuse((base) + offsetof(type, field), &v_, sizeof v_, text);                      \
	} while (0)

static void test_header_fields(void **state)
{
	(void)state;
	REFUSE(struct scp_header, 0, magic[0], 'X', "not a scprof profile");
	REFUSE(struct scp_header, 0, version, 1, "version 1, this scprof reads 3");
	REFUSE(struct scp_header, 0, byte_order, 0x04030201, "big-endian");
	REFUSE(struct scp_header, 0, byte_order, 0, "byte-order");
	REFUSE(struct scp_header, 0, header_bytes, 4096, "header claims");
	REFUSE(struct scp_header, 0, clock.kind, SCP_CLOCK_DUAL, "kind of its clock");
	REFUSE(struct scp_header, 0, clock.kind, 0, "kind of its clock");
	REFUSE(struct scp_header, 0, clock.resolution_units, 0, "resolution");
	REFUSE(struct scp_header, 0, slow_clock.kind, 77, "slow clock");
	REFUSE(struct scp_header, 0, end_state, 9, "end state");
	REFUSE(struct scp_header, 0, argv_bytes, 2049, "arguments");
	REFUSE(struct scp_header, 0, region_count, SCP_MAX_REGIONS + 1, "regions");
	REFUSE(struct scp_header, 0, slowest.count, 1001, "the 1001 slowest calls of 1000");
	REFUSE(struct scp_header, 0, region_count, UINT32_MAX, "regions");
}

static void test_regions(void **state)
{
	struct scp_region two[2];

	(void)state;
	REFUSE(struct scp_header, 0, regions[0].offset, 0, "region 0");
	REFUSE(struct scp_header, 0, regions[0].offset, 8193, "region 0");
	REFUSE(struct scp_header, 0, regions[0].bytes, UINT64_MAX - 4095, "region 0");
	REFUSE(struct scp_header, 0, regions[0].bytes, UINT64_C(1) << 40, "ends after");
	two[0] = two[1] = scp_build_header(&good)->regions[0];
	scp_build_header(&good)->region_count = 2;
	refuse(offsetof(struct scp_header, regions), two, sizeof two, "overlap");
	scp_build_header(&good)->region_count = 1;
}

static void test_chunks(void **state)
{
	(void)state;
	REFUSE(struct scp_chunk, at.table_chunk, type, 3, "type 3");
	REFUSE(struct scp_chunk, at.table_chunk, type, SCP_CHUNK_PROCESS, "table 1");
	REFUSE(struct scp_chunk, at.table_chunk, table, 0, "table 0");
	REFUSE(struct scp_chunk, at.table_chunk, bytes, 0, "chunk at byte");
	REFUSE(struct scp_chunk, at.table_chunk, bytes, UINT64_MAX, "chunk at byte");
	REFUSE(struct scp_chunk, at.table_chunk, bytes, UINT64_C(1) << 63, "chunk at byte");
	REFUSE(struct scp_chunk, at.table_chunk, used, 63, "chunk at byte");
	REFUSE(struct scp_chunk, at.table_chunk, used, 1 << 20, "chunk at byte");
	REFUSE(struct scp_chunk, at.table_chunk, table, 2, "stands in a chunk of another table");
	REFUSE(struct scp_chunk, at.table_chunk, magic, SCP_OPTIONAL_MAGIC, "chunk at byte");
	REFUSE(struct scp_chunk, at.slowest_chunk, magic, SCP_CHUNK_MAGIC, "has type 1, table 1");
	REFUSE(struct scp_chunk, at.slowest_chunk, bytes, 8192, "chunk at byte");
	REFUSE(struct scp_chunk, at.slowest_chunk, table, 0, "type 1, table 0");
	REFUSE(struct scp_chunk, at.slowest_chunk, table, 3, "no head");
	REFUSE(struct scp_chunk, at.tail_chunk, magic, SCP_CHUNK_MAGIC, "has type 4, table 1");
	REFUSE(struct scp_chunk, at.tail_chunk, type, SCP_OPTIONAL_SLOWEST, "in a chunk of type 1");
	REFUSE(struct scp_chunk, at.tail_chunk, table, 0, "type 4, table 0");
	REFUSE(struct scp_chunk, at.look_chunk, table, 0, "type 7, table 0");
	REFUSE(struct scp_chunk, at.look_chunk, table, 3, "no head");
	REFUSE(struct scp_chunk, at.future_chunk, used, 8192, "chunk at byte");
}

static void test_record_heads(void **state)
{
	(void)state;
	REFUSE(struct scp_record, at.entry, bytes, 0, "does not fit");
	REFUSE(struct scp_record, at.entry, bytes, 65, "does not fit");
	REFUSE(struct scp_record, at.entry, bytes, 0xffffffc0, "does not fit");
	REFUSE(struct scp_record, at.entry, bytes, 64, "only 64 bytes");
	REFUSE(struct scp_record, at.phase, bytes, 256, "only 256 bytes");
	REFUSE(struct scp_record, at.line, bytes, 2560, "only 2560 bytes");
	REFUSE(struct scp_record, at.entry, type, 0, "type 0");
	REFUSE(struct scp_record, at.line, type, SCP_REC_LINE + 1, "type 13");
	REFUSE(struct scp_record, at.slowest, type, SCP_REC_LINE, "type 12");
	REFUSE(struct scp_record, at.slowest, bytes, 64, "only 64 bytes");
	REFUSE(struct scp_record, at.states, bytes, 192, "only 192 bytes");
	REFUSE(struct scp_record, at.state_batches, bytes, 3072, "only 3072 bytes");
	REFUSE(struct scp_record, at.state_hist, bytes, 512, "only 512 bytes");
	REFUSE(struct scp_record, at.table_states, bytes, 128, "only 128 bytes");
	REFUSE(struct scp_record, at.look, bytes, 0, "does not fit");
	REFUSE(struct scp_record, at.look, type, SCP_REC_GAP, "in a chunk of type 7");
	REFUSE(struct scp_record, at.line, type, SCP_REC_LOOK, "in a chunk of type 2");
	REFUSE(struct scp_record, at.states, type, SCP_REC_SLOWEST, "type 13");
	REFUSE(struct scp_record, at.slowest, type, SCP_REC_STATES, "in a chunk of type 1");
	REFUSE(struct scp_record, at.line, type, SCP_REC_STATE_HIST, "in a chunk of type 2");
	REFUSE(struct scp_record, at.tail, bytes, 3968, "only 3968 bytes");
	REFUSE(struct scp_record, at.function, type, SCP_REC_PHASE, "in a chunk of type 1");
	REFUSE(struct scp_record, at.entry, type, SCP_REC_FUNCTION, "in a chunk of type 2");
	REFUSE(struct scp_record, at.function, type, SCP_REC_ENTRY, "in a chunk of type 1");
	REFUSE(struct scp_record, at.table, type, SCP_REC_GAP, "no head");
}

static void test_record_fields(void **state)
{
	char full[40];

	(void)state;
	memset(full, 'x', sizeof full);
	refuse(at.function + offsetof(struct scp_function, name), full, 40,
	       "of its functions, number 7 (table 0) has a text without an end");
	REFUSE(struct scp_module, at.module, id, 0, "module");
	REFUSE(struct scp_module, at.module, id, 65536, "module");
	REFUSE(struct scp_module, at.module, build_id_bytes, 33, "build-id that is too long");
	refuse(at.table + offsetof(struct scp_table, name), full, 16,
	       "of its tables, number 0 (table 1)");
	refuse(at.slowest + offsetof(struct scp_slowest, name), full, 16, "name of slowest call 1");
	REFUSE(struct scp_path, at.path, frames, 5, "claims more frames");
	REFUSE(struct scp_path, at.path, frames, UINT16_MAX, "frames");
	REFUSE(struct scp_path, at.path, id, 0, "id 0");
	REFUSE(struct scp_entry, at.entry, id, 0, "id 0");
	REFUSE(struct scp_entry, at.entry, outcome, SCP_TIMEOUT, "an outcome that there is not");
	REFUSE(struct scp_entry, at.entry, flags, SCP_ENTRY_TIMED_OUT,
	       "an outcome that there is not");
	REFUSE(struct scp_entry, at.entry, batch_count, 65, "claims batches");
	REFUSE(struct scp_entry, at.entry, batch_calls, 3, "claims batches");
	REFUSE(struct scp_entry, at.entry, batch_calls, 0, "claims batches");
	REFUSE(struct scp_hist, at.hist, block, SCP_HIST_BLOCKS, "durations that there are not");
	REFUSE(struct scp_batch, at.batch, clock, 2, "third clock");
	REFUSE(struct scp_hist, at.state_hist, block, SCP_HIST_BLOCKS * SCP_STATE_HISTS,
	       "durations that there are not");
	REFUSE(struct scp_tail, at.tail, octaves, 16, "octaves, or too many");
	REFUSE(struct scp_tail, at.tail, octaves, 1, "too few octaves");
}

static void test_references(void **state)
{
	(void)state;
	REFUSE(struct scp_entry, at.entry, path, 9, "names path 9");
	REFUSE(struct scp_entry, at.entry, path, 0, "names path 0");
	REFUSE(struct scp_entry, at.entry, function, 4, "names function 4");
	REFUSE(struct scp_path, at.path, frame[0], SCP_FRAME(3, 0, 1), "names module 3");
	REFUSE(struct scp_gap, at.gap, to, 99, "names entry 99");
	REFUSE(struct scp_gap, at.gap, from, 3, "names entry 3");
	REFUSE(struct scp_hist, at.hist, entry, 3, "names entry 3");
	REFUSE(struct scp_look, at.look, function, 99, "names function 99");
	REFUSE(struct scp_batch, at.batch, entry, 3, "names entry 3");
	REFUSE(struct scp_slow, at.slow, entry, 0, "names entry 0");
	REFUSE(struct scp_first_calls, at.first_calls, entry, 3, "names entry 3");
	REFUSE(struct scp_phase, at.phase, entry, 3, "names entry 3");
	REFUSE(struct scp_line, at.line, entry, 3, "names entry 3");
	REFUSE(struct scp_tail, at.tail, entry, 3, "names entry 3");
	REFUSE(struct scp_slowest, at.slowest, entry, 3, "names entry 3");
	REFUSE(struct scp_slowest, at.slowest, id, 2, "two slowest calls");
	REFUSE(struct scp_states, at.states, entry, 3, "names entry 3");
	REFUSE(struct scp_state_batches, at.state_batches, entry, 3, "names entry 3");
	REFUSE(struct scp_hist, at.state_hist, entry, 3, "names entry 3");
}

static void test_identities(void **state)
{
	(void)state;
	REFUSE(struct scp_entry, at.entry, id, 2, "two entries");
	REFUSE(struct scp_path, at.path, id, 2, "two paths");
	REFUSE(struct scp_module, at.module, id, 2, "two modules");
	REFUSE(struct scp_function, at.function, id, 3, "two functions");
	REFUSE(struct scp_batch, at.batch, clock, 1, "two batch blocks");
	REFUSE(struct scp_hist, at.state_hist, block, 0, "two states' histogram blocks");
	REFUSE(struct scp_record, at.state_batches, type, SCP_REC_STATES, "two states of an entry");
	REFUSE(struct scp_record, at.states, type, SCP_REC_TABLE_STATES, "two states of a table");
}

static void test_one_phase_record_an_entry(void **state)
{
	uint32_t *type = &((struct scp_record *)(void *)(good.bytes + at.line))->type;

	(void)state;
	*type = SCP_REC_PHASE;
	REFUSE(struct scp_line, at.line, entry, 1, "two phase records");
	*type = SCP_REC_LINE;
}

static void test_one_record_of_first_calls_an_entry(void **state)
{
	uint32_t *type = &((struct scp_record *)(void *)(good.bytes + at.slow))->type;

	(void)state;
	*type = SCP_REC_FIRST_CALLS;
	REFUSE(struct scp_first_calls, at.slow, entry, 2, "two records of the first calls");
	*type = SCP_REC_SLOW;
}

/* A line that claims more than its entry is left out; the rest is read. */
static void test_a_line_that_contradicts_its_entry_is_left_out(void **state)
{
	static const size_t field[] = {
		offsetof(struct scp_line, bytes), offsetof(struct scp_line, bytes_sq_lo),
		offsetof(struct scp_line, bytes_sq_hi), offsetof(struct scp_line, bytes_units_lo),
		offsetof(struct scp_line, bytes_units_hi)};
	const char *path = scp_build_name("line.scp");
	struct profile_error err;

	(void)state;
	for (size_t i = 0; i <= sizeof field / sizeof field[0]; i++) {
		uint64_t *value =
			(uint64_t *)(void *)(good.bytes + at.line + (i ? field[i - 1] : field[0]));
		uint64_t kept = *value;
		struct profile *p;

		if (i)
			*value = kept + 100000;
		scp_build_save(&good, path);
		*value = kept;
		p = profile_open(&path, 1, &err);
		assert_non_null(p);
		assert_int_equal(p->entry[0].sums.line != NULL, i == 0);
		assert_int_equal(p->entry[0].sums.batches.count, 5);
		profile_free(p);
	}
}

static void test_every_cut_is_noticed(void **state)
{
	const char *path = scp_build_name("cut.scp");
	struct profile_error err;

	(void)state;
	for (uint64_t size = 0; size < good.used; size += 61) {
		struct profile *p = profile_new();

		scp_build_save_bytes(good.bytes, size, path);
		if (profile_add(p, path, &err) == 0)
			fail_msg("loaded with %llu bytes", (unsigned long long)size);
		if (size >= 8)
			assert_non_null(strstr(err.text, "ends after"));
		profile_free(p);
	}
}

/* Try the image at `path` with one word of it damaged; what loads must be sound, and be written and
 * read. */
static void try_image(const char *path, int fd, const char *what, uint64_t offset, uint32_t word)
{
	struct profile *p = profile_new();
	struct profile_error err;

	assert_int_equal(pwrite(fd, &word, sizeof word, (off_t)offset), sizeof word);
	if (profile_add(p, path, &err)) {
		if (!strstr(err.text, "swept.scp: ") || strlen(err.text) < 20)
			fail_msg("%s at %llu: \"%s\"", what, (unsigned long long)offset, err.text);
	} else if (model_check(p)) {
		fail_msg("%s at %llu: %s", what, (unsigned long long)offset, model_check(p));
	}
	profile_free(p);
}

static void test_every_word_damaged(void **state)
{
	static const uint32_t value[] = {0, 1, 3, 64, 0x7fffffff, 0x80000000, 0xffffffff};
	const char *path = scp_build_name("swept.scp");
	int fd;

	(void)state;
	scp_build_save(&good, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (uint64_t offset = 0; offset + 4 <= good.used; offset += 4) {
		const uint32_t kept = *(uint32_t *)(void *)(good.bytes + offset);

		/* argv and padding: a few words stand for all */
		if (offset > 2048 && offset < SCP_HEADER_BYTES && offset % 512)
			continue;
		if (kept == 0 && offset % 64 > 40 && offset > SCP_HEADER_BYTES)
			continue;
		for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
			char text[32];

			/* Three of the values a word; others in the same word of the next record.
			 */
			if ((i + offset / 4) % 7 >= (getenv("LONG") ? 7 : 3))
				continue;
			snprintf(text, sizeof text, "word %#x", value[i]);
			try_image(path, fd, text, offset, value[i]);
		}
		assert_int_equal(pwrite(fd, &kept, sizeof kept, (off_t)offset), sizeof kept);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_fields),
		cmocka_unit_test(test_regions),
		cmocka_unit_test(test_chunks),
		cmocka_unit_test(test_record_heads),
		cmocka_unit_test(test_record_fields),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_identities),
		cmocka_unit_test(test_one_phase_record_an_entry),
		cmocka_unit_test(test_one_record_of_first_calls_an_entry),
		cmocka_unit_test(test_a_line_that_contradicts_its_entry_is_left_out),
		cmocka_unit_test(test_every_cut_is_noticed),
		cmocka_unit_test(test_every_word_damaged),
	};
	return cmocka_run_group_tests(tests, make_good, free_good);
}
