// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading a file while another process writes it, as the injected library does:
 * sums under a seq, new paths and entries, chunks whose `used` grows.
 *
 * Every call is 7 units long and moves 3 bytes, and each gap is 2 units: any
 * snapshot that mixes two moments of an entry shows it.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_check.h"
#include "scp_build.h"

#define ROOM	     (1u << 20)
#define MOST_ENTRIES 1000u

struct writer {
	uint8_t *map;
	struct scp_header *header;
	struct scp_chunk *chunk;
	struct scp_entry *entry[MOST_ENTRIES];
	uint32_t entries;
};

static void release(uint64_t *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static void new_chunk(struct writer *w)
{
	uint64_t at = SCP_HEADER_BYTES + w->header->regions[0].used;

	w->chunk = (struct scp_chunk *)(void *)(w->map + at);
	release(&w->header->regions[0].used, w->header->regions[0].used + SCP_GRANULE);
	w->chunk->type = SCP_CHUNK_TABLE;
	w->chunk->bytes = SCP_GRANULE;
	w->chunk->used = sizeof *w->chunk;
	w->chunk->table = 1;
	__atomic_store_n(&w->chunk->magic, SCP_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

static void *new_record(struct writer *w, uint32_t type, uint32_t bytes)
{
	struct scp_record *r;

	if (w->chunk->used + bytes > w->chunk->bytes)
		new_chunk(w);
	r = (struct scp_record *)(void *)((uint8_t *)w->chunk + w->chunk->used);
	r->type = type;
	r->bytes = bytes;
	return r;
}

static void complete(struct writer *w, const void *record)
{
	release(&w->chunk->used, w->chunk->used + ((const struct scp_record *)record)->bytes);
}

static void new_entry(struct writer *w)
{
	struct scp_path *p = new_record(w, SCP_REC_PATH, 64);
	struct scp_entry *e;
	struct scp_gap *g;

	p->id = w->entries + 1;
	p->frames = 1;
	p->frame[0] = SCP_FRAME(0, 0, 0x1000 + w->entries);
	complete(w, p);
	e = new_record(w, SCP_REC_ENTRY, sizeof *e);
	e->id = e->path = w->entries + 1;
	e->function = 1;
	e->batch_calls = 1;
	complete(w, e);
	w->entry[w->entries++] = e;
	g = new_record(w, SCP_REC_GAP, sizeof *g);
	g->from = g->to = w->entries;
	g->calls = 1;
	g->units = 2;
	complete(w, g);
}

static void add_call(struct scp_entry *e)
{
	__atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	e->calls++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	e->units += 7;
	e->units_sq_lo += 49;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	e->bytes += 3;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELEASE);
}

static void write_for_ever(struct writer *w)
{
	for (uint64_t i = 0;; i++) {
		/* a pause as between real calls; all seqs even most of the time */
		for (volatile int k = 0; k < 300; k++)
			;
		add_call(w->entry[i % w->entries]);
		if (i % 500 == 0 && w->entries < MOST_ENTRIES)
			new_entry(w);
	}
}

static void begin_file(struct writer *w, const char *path)
{
	struct scp_build b;
	int fd;

	scp_build_begin(&b);
	scp_build_header(&b)->end_state = SCP_END_RUNNING;
	scp_build_open_chunk(&b, SCP_CHUNK_PROCESS, 0);
	scp_build_function(&b, 1, "recv", "libc.so.6");
	scp_build_close_chunk(&b);
	scp_build_open_chunk(&b, SCP_CHUNK_TABLE, 1);
	scp_build_table(&b, 1, "writer");
	scp_build_close_chunk(&b);
	scp_build_finish(&b);
	scp_build_header(&b)->regions[0].bytes = ROOM - SCP_HEADER_BYTES;
	scp_build_save_bytes(b.bytes, ROOM, path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	w->map = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(w->map, MAP_FAILED);
	close(fd);
	w->header = (struct scp_header *)(void *)w->map;
	w->chunk = (struct scp_chunk *)(void *)(w->map + b.chunk);
	w->entries = 0;
	new_entry(w);
	scp_build_free(&b);
}

/* Entries that are not marked torn and whose sums contradict each other. */
static uint32_t count_wrong(const struct profile *p)
{
	uint32_t wrong = 0;

	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_sums *s = &p->entry[i].sums;

		wrong += !p->entry[i].torn &&
			 (s->units != 7 * s->calls || s->bytes != 3 * s->calls ||
			  s->units_sq != 49 * s->calls);
	}
	return wrong;
}

static void test_snapshots_of_a_running_writer_are_consistent(void **state)
{
	const char *path = scp_build_name("live.scp");
	uint32_t grew = 0, entries = 0;
	struct profile_error err;
	struct writer w;
	pid_t child;

	(void)state;
	begin_file(&w, path);
	child = fork();
	if (child == 0)
		write_for_ever(&w);
	for (int i = 0; i < 300; i++) {
		struct profile *p = profile_open(&path, 1, &err);

		if (!p) {
			kill(child, SIGKILL);
			fail_msg("snapshot %d: %s", i, err.text);
		}
		if (model_check(p) || count_wrong(p)) {
			kill(child, SIGKILL);
			fail_msg("snapshot %d: %u wrong, %s", i, count_wrong(p), model_check(p));
		}
		grew += p->entries > entries;
		entries = p->entries;
		profile_free(p);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(w.map, ROOM);
	assert_true(grew > 3); /* else the test has tested nothing */
}

/* The last word: a stopped writer's file is read like any other. */
static void test_the_file_of_a_killed_writer_reads(void **state)
{
	const char *path = scp_build_name("killed.scp");
	struct profile_error err;
	struct profile *p;
	struct writer w;

	(void)state;
	begin_file(&w, path);
	for (int i = 0; i < 100; i++)
		new_entry(&w);
	for (int i = 0; i < 1000; i++)
		add_call(w.entry[i % w.entries]);
	w.entry[3]->seq++; /* killed there */
	p = profile_open(&path, 1, &err);
	if (!p)
		fail_msg("%s", err.text);
	assert_int_equal(p->entries, 101);
	assert_int_equal(p->torn_entries, 1);
	assert_true(p->entry[3].torn);
	profile_free(p);
	munmap(w.map, ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshots_of_a_running_writer_are_consistent),
		cmocka_unit_test(test_the_file_of_a_killed_writer_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
