// SPDX-License-Identifier: GPL-3.0-or-later
/* Reading a file while another process writes it, as the injected library does:
 * sums under a seq, new paths and entries, chunks whose `used` grows.
 *
 * Every call is 7 units long, moves 3 bytes and is counted in a histogram that
 * lies far off in the file: a snapshot that mixes two moments shows it. Paths
 * and gaps lie at the front of the file, entries two megabytes further on, so
 * that a reader in one pass would meet entries whose paths it has missed.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/support/model_check.h"
#include "tests/unit/support/scp_build.h"

#define ROOM	     (4u << 20)
#define BUSY	     3u /* entries that are called all the time, and have every block */
#define FAR	     (2u << 20)
#define MOST_ENTRIES 500u
#define AHEAD	     10u

struct writer {
	uint8_t *map;
	struct scp_header *header;
	struct scp_chunk *chunk[4]; /* of region 0, of region 1; optional, of region 1: states,
				       source lines */
	struct scp_entry *entry[MOST_ENTRIES];
	struct scp_hist *hist[MOST_ENTRIES];
	struct scp_phase *phase[BUSY];
	struct scp_line *line[BUSY];
	struct scp_batch *batch[BUSY];
	struct scp_states *states[BUSY];
	struct scp_state_batches *state_batches[BUSY];
	struct scp_hist *state_hist[BUSY];
	struct scp_table_states *table_states;
	struct scp_tail *tail[BUSY];
	uint32_t entries;
	uint32_t *seen; /* entries that the reader has seen: shared with it */
};

static void release(uint64_t *at, uint64_t value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

static void new_chunk(struct writer *w, int place)
{
	static const uint32_t types[] = {SCP_CHUNK_TABLE, SCP_CHUNK_TABLE, SCP_OPTIONAL_STATES,
					 SCP_OPTIONAL_SOURCE};
	struct scp_region *r = &w->header->regions[place > 0];
	struct scp_chunk *c = (struct scp_chunk *)(void *)(w->map + r->offset + r->used);

	release(&r->used, r->used + SCP_GRANULE);
	c->type = types[place];
	c->bytes = SCP_GRANULE;
	c->used = sizeof *c;
	c->table = place < 3;
	__atomic_store_n(&c->magic, place > 1 ? SCP_OPTIONAL_MAGIC : SCP_CHUNK_MAGIC,
			 __ATOMIC_RELEASE);
	w->chunk[place] = c;
}

static void *new_record(struct writer *w, int place, uint32_t type, uint32_t bytes)
{
	struct scp_record *r;

	if (!w->chunk[place] || w->chunk[place]->used + bytes > w->chunk[place]->bytes)
		new_chunk(w, place);
	r = (struct scp_record *)(void *)((uint8_t *)w->chunk[place] + w->chunk[place]->used);
	r->type = type;
	r->bytes = bytes;
	return r;
}

/* In a chunk of its own. */
static void new_tail(struct writer *w, uint32_t i)
{
	struct scp_region *r = &w->header->regions[1];
	struct scp_chunk *c = (struct scp_chunk *)(void *)(w->map + r->offset + r->used);
	struct scp_tail *t = (struct scp_tail *)(void *)(c + 1);

	release(&r->used, r->used + SCP_GRANULE);
	*t = (struct scp_tail){.rec = {SCP_REC_TAIL, sizeof *t}, .entry = i + 1, .octaves = 2};
	t->calls[0][0] = 1;
	*c = (struct scp_chunk){0, SCP_OPTIONAL_TAIL, SCP_GRANULE, SCP_GRANULE, 1, {0}};
	__atomic_store_n(&c->magic, SCP_OPTIONAL_MAGIC, __ATOMIC_RELEASE);
	w->tail[i] = t;
}

static void complete(struct writer *w, int place, const void *record)
{
	const struct scp_record *r = record;

	release(&w->chunk[place]->used, w->chunk[place]->used + r->bytes);
}

/* All calls were switched. */
static void new_states(struct writer *w, uint32_t i)
{
	struct scp_states *t = new_record(w, 2, SCP_REC_STATES, sizeof *t);

	t->entry = i + 1;
	t->detector = SCP_SWITCH_PERF;
	complete(w, 2, t);
	w->states[i] = t;
	w->state_batches[i] = new_record(w, 2, SCP_REC_STATE_BATCHES, sizeof *w->state_batches[i]);
	w->state_batches[i]->entry = i + 1;
	complete(w, 2, w->state_batches[i]);
	w->state_hist[i] = new_record(w, 2, SCP_REC_STATE_HIST, sizeof *w->state_hist[i]);
	w->state_hist[i]->entry = i + 1;
	complete(w, 2, w->state_hist[i]);
}

/* Phases, and one batch with its line that hold all calls; its octaves are of the last call. */
static void new_blocks(struct writer *w, uint32_t i)
{
	struct scp_phase *p = new_record(w, 1, SCP_REC_PHASE, sizeof *p);
	struct scp_batch *b;
	struct scp_line *l;

	p->entry = i + 1;
	complete(w, 1, p);
	b = new_record(w, 1, SCP_REC_BATCH, sizeof *b);
	b->entry = i + 1;
	complete(w, 1, b);
	l = new_record(w, 1, SCP_REC_LINE, sizeof *l);
	l->entry = i + 1;
	complete(w, 1, l);
	new_tail(w, i);
	w->phase[i] = p;
	w->batch[i] = b;
	w->line[i] = l;
	new_states(w, i);
	w->entry[i]->batch_count = 1;
	w->entry[i]->flags = SCP_ENTRY_BYTES;
}

/* A function for each entry, and a line, whose number is that of the entry. */
static void new_line(struct writer *w)
{
	struct scp_source_function *f = new_record(w, 3, SCP_REC_SOURCE_FUNCTION, 64);
	struct scp_source_line *l;

	f->id = w->entries + 1;
	f->name_bytes = f->file_bytes = 2;
	f->first_line = f->id;
	memcpy(f->strings, "f\0s", 4);
	complete(w, 3, f);
	l = new_record(w, 3, SCP_REC_SOURCE_LINE, sizeof *l);
	l->id = l->function = l->line = w->entries + 1;
	complete(w, 3, l);
}

static void new_entry(struct writer *w)
{
	struct scp_path *p = new_record(w, 0, SCP_REC_PATH, 64);
	struct scp_entry *e;
	struct scp_hist *h;
	struct scp_gap *g;

	new_line(w);
	p->id = w->entries + 1;
	p->frames = 2;
	p->frame[0] = SCP_FRAME(0, 0, 0x1000 + w->entries);
	p->frame[1] = SCP_FRAME(SCP_FRAME_SOURCE, 0, p->id);
	complete(w, 0, p);
	e = new_record(w, 1, SCP_REC_ENTRY, sizeof *e);
	e->id = e->path = w->entries + 1;
	e->function = 1;
	e->batch_calls = 1;
	complete(w, 1, e);
	h = new_record(w, 1, SCP_REC_HIST, sizeof *h);
	h->entry = e->id;
	complete(w, 1, h);
	w->hist[w->entries] = h;
	w->entry[w->entries++] = e;
	g = new_record(w, 0, SCP_REC_GAP, sizeof *g);
	g->from = g->to = w->entries;
	g->calls = 1;
	g->units = 2;
	complete(w, 0, g);
}

static void add_states(struct writer *w, uint32_t i)
{
	struct scp_states *t = w->states[i];

	t->detector ^= SCP_SWITCH_PERF ^ SCP_SWITCH_RSEQ; /* not a part of what it is */
	t->calls++;
	t->readings++;
	t->units += 7;
	t->units_sq_lo += 49;
	t->off_cpu.asleep_ns += 5;
	w->state_batches[i]->calls[0]++;
	w->state_batches[i]->units[0] += 7;
	w->state_batches[i]->asleep_ns[0] += 5;
	w->state_hist[i]->count[7]++;
}

static void add_gap(struct scp_table_states *t)
{
	__atomic_store_n(&t->seq, t->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	t->gaps++;
	t->gap_units += 7;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	t->switches += 2;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&t->seq, t->seq + 1, __ATOMIC_RELEASE);
}

static void add_call(struct writer *w, uint32_t i)
{
	struct scp_entry *e = w->entry[i];

	__atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	e->calls++;
	e->units += 7;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	e->units_sq_lo += 49;
	e->bytes += 3;
	e->bytes_sq_lo += 9;
	e->bytes_units_lo += 21;
	w->hist[i]->count[7]++;
	if (i < BUSY) {
		w->phase[i]->count[5]++;
		w->batch[i]->sum[0] += 7;
		w->line[i]->bytes[0] += 3;
		w->line[i]->bytes_sq_lo[0] += 9;
		w->line[i]->bytes_units_lo[0] += 21;
		add_states(w, i);
		w->tail[i]->calls[0][e->calls & 1] = 1;
		w->tail[i]->calls[0][~e->calls & 1] = 0;
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&e->seq, e->seq + 1, __ATOMIC_RELEASE);
}

static void write_for_ever(struct writer *w)
{
	for (uint64_t i = 0;; i++) {
		/* the program's own work between two calls: some 10 us */
		for (volatile int k = 0; k < 10000; k++)
			;
		add_call(w, (uint32_t)(i % BUSY));
		add_gap(w->table_states);
		/* never far ahead of the reader, whoever gets the processors */
		if (i % 20 == 0 && w->entries < MOST_ENTRIES &&
		    w->entries < __atomic_load_n(w->seen, __ATOMIC_RELAXED) + AHEAD)
			new_entry(w);
	}
}

/* Does not outlive a test that fails or crashes. */
static pid_t fork_writer(void)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	return child;
}

static void begin_file(struct writer *w, const char *path)
{
	struct scp_build b;
	struct scp_header *h;
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
	h = scp_build_header(&b);
	h->regions[0].bytes = FAR - SCP_HEADER_BYTES;
	h->regions[1] = (struct scp_region){FAR, ROOM - FAR, 0};
	h->region_count = 2;
	scp_build_save(&b, path);
	scp_build_free(&b);
	assert_int_equal(truncate(path, ROOM), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	*w = (struct writer){0};
	w->map = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(w->map, MAP_FAILED);
	close(fd);
	w->header = (struct scp_header *)(void *)w->map;
	w->table_states = new_record(w, 2, SCP_REC_TABLE_STATES, sizeof *w->table_states);
	w->table_states->detector = SCP_SWITCH_RSEQ;
	complete(w, 2, w->table_states);
	for (uint32_t i = 0; i < BUSY; i++) {
		new_entry(w);
		new_blocks(w, i);
	}
}

static bool states_agree(const struct prof_sums *s)
{
	const struct prof_states *t = s->states;

	return t && t->calls == s->calls && t->readings == s->calls && t->units == s->units &&
	       t->off_cpu.asleep_ns == 5 * s->calls && t->batches->calls[0] == s->calls &&
	       t->batches->asleep_ns[0] == 5 * s->calls &&
	       hist_count(t->hist[SCP_STATE_SWITCHED], 7) == s->calls &&
	       t->detector == (s->calls % 2 ? SCP_SWITCH_RSEQ : SCP_SWITCH_PERF);
}

static bool blocks_agree(const struct prof_sums *s)
{
	return s->phase && s->phase->count[5] == s->calls && s->batches.sum[0] == s->units &&
	       s->line && s->line->bytes[0] == s->bytes && s->line->bytes_sq[0] == s->bytes_sq &&
	       s->line->bytes_units[0] == s->bytes_units && s->tail &&
	       s->tail->calls[0][s->calls & 1] == 1 && s->tail->calls[0][~s->calls & 1] == 0;
}

static bool line_agrees(const struct profile *p, uint32_t entry)
{
	const struct prof_path *path = &p->path[p->entry[entry].path];
	const struct prof_source_line *l = &p->source_line[path->frame[1].offset];

	return l->line == entry + 1 && p->source_function[l->function].first_line == entry + 1;
}

/* Entries, and a table's states, that are not marked torn and whose sums contradict each other. */
static uint32_t count_wrong(const struct profile *p)
{
	const struct prof_table_states *t = &p->table[0].states;
	uint32_t wrong = !t->torn && (t->gap_units != 7 * t->gaps || t->switches != 2 * t->gaps);

	for (uint32_t i = 0; i < p->entries; i++) {
		const struct prof_sums *s = &p->entry[i].sums;

		wrong += !line_agrees(p, i);
		wrong += !p->entry[i].torn &&
			 ((s->hist && hist_count(s->hist, 7) != s->calls) ||
			  s->units != 7 * s->calls || s->bytes != 3 * s->calls ||
			  s->units_sq != 49 * s->calls ||
			  (i < BUSY && s->calls && !(blocks_agree(s) && states_agree(s))));
	}
	return wrong;
}

/* Nothing in it is marked torn. */
static bool is_sound(const struct profile *p)
{
	return !p->torn_entries && !p->table[0].states.torn;
}

static void test_snapshots_of_a_running_writer_are_consistent(void **state)
{
	const char *path = scp_build_name("live.scp");
	uint32_t grew = 0, entries = 0, sound = 0;
	struct profile_error err;
	struct writer w;
	pid_t child;

	(void)state;
	begin_file(&w, path);
	w.seen = mmap(NULL, sizeof(*w.seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert_ptr_not_equal(w.seen, MAP_FAILED);
	child = fork_writer();
	if (child == 0)
		write_for_ever(&w);
	for (int i = 0; entries < MOST_ENTRIES; i++) {
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
		sound += is_sound(p);
		entries = p->entries;
		__atomic_store_n(w.seen, entries, __ATOMIC_RELAXED);
		profile_free(p);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(w.map, ROOM);
	munmap(w.seen, sizeof(*w.seen));
	print_message("%u snapshots of %u entries saw it grow\n", grew, entries);
	assert_true(grew >= MOST_ENTRIES / AHEAD - 1 && sound); /* else nothing was tested */
}

/* The reader's own, in place of libc's. Where a test has set `in_update`, no time passes, and that
 * update ends with the wait that the test says. */
static struct scp_entry *in_update;
static unsigned waits, waits_wanted;

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	if (!in_update)
		return (int)syscall(SYS_nanosleep, wanted, left);
	if (++waits == waits_wanted)
		__atomic_add_fetch(&in_update->seq, 1, __ATOMIC_SEQ_CST);
	return 0;
}

/* Torn entries of a file one of whose entries is in an update; 0: of `after` waits. */
static uint64_t torn_of(const char *name, unsigned after)
{
	const char *path = scp_build_name(name);
	struct profile_error err;
	struct writer w;

	begin_file(&w, path);
	in_update = w.entry[0];
	in_update->seq++;
	waits = 0;
	waits_wanted = after;
	struct profile *p = profile_open(&path, 1, &err);
	in_update = NULL;
	munmap(w.map, ROOM);
	if (!p)
		fail_msg("%s", err.text);
	uint64_t torn = p->torn_entries;
	profile_free(p);
	return torn;
}

static void test_a_slow_update_is_waited_for(void **state)
{
	(void)state;
	assert_int_equal(torn_of("slow.scp", 1), 0);
	assert_int_equal(waits, 1);
	assert_int_equal(torn_of("slower.scp", 5), 0);
	assert_int_equal(waits, 5);
}

/* A stopped writer, say. */
static void test_one_that_does_not_end_is_not_waited_for_for_ever(void **state)
{
	(void)state;
	assert_int_equal(torn_of("stuck.scp", 0), 1);
	assert_true(waits > 5);
}

/* The reader's own, too. Where a test has set `calling`, its first entry is called while the file
 * is copied, between the entry and its histogram, and the writer stops in the next update. */
static struct writer *calling;

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	size_t front;

	if (!calling)
		return syscall(SYS_pread64, fd, to, bytes, at);
	front = (size_t)((uint8_t *)calling->hist[0] - calling->map) - (size_t)at;
	if (bytes < FAR) {
		calling->entry[0]->seq |= at > (off_t)FAR;
		return syscall(SYS_pread64, fd, to, bytes, at);
	}
	syscall(SYS_pread64, fd, to, front, at);
	add_call(calling, 0);
	syscall(SYS_pread64, fd, (uint8_t *)to + front, bytes - front, at + (off_t)front);
	return (ssize_t)bytes;
}

static void test_a_copy_of_two_moments_is_marked_torn(void **state)
{
	const char *path = scp_build_name("moments.scp");
	struct profile_error err;
	struct profile *p;
	struct writer w;

	(void)state;
	begin_file(&w, path);
	calling = &w;
	p = profile_open(&path, 1, &err);
	calling = NULL;
	if (!p)
		fail_msg("%s", err.text);
	assert_int_not_equal(hist_count(p->entry[0].sums.hist, 7), p->entry[0].sums.calls);
	assert_true(p->entry[0].torn);
	assert_int_equal(p->torn_entries, 1);
	profile_free(p);
	munmap(w.map, ROOM);
}

static void test_a_table_in_an_update_is_marked_torn(void **state)
{
	const char *path = scp_build_name("table.scp");
	struct profile_error err;
	struct profile *p;
	struct writer w;

	(void)state;
	begin_file(&w, path);
	w.table_states->seq++;
	p = profile_open(&path, 1, &err);
	if (!p)
		fail_msg("%s", err.text);
	assert_true(p->table[0].states.torn);
	assert_int_equal(p->torn_entries, 0);
	profile_free(p);
	munmap(w.map, ROOM);
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
		add_call(&w, (uint32_t)i % w.entries);
	w.entry[3]->seq++; /* killed there */
	p = profile_open(&path, 1, &err);
	if (!p)
		fail_msg("%s", err.text);
	assert_int_equal(p->entries, 103);
	assert_int_equal(p->torn_entries, 1);
	assert_true(p->entry[3].torn);
	profile_free(p);
	munmap(w.map, ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshots_of_a_running_writer_are_consistent),
		cmocka_unit_test(test_a_slow_update_is_waited_for),
		cmocka_unit_test(test_one_that_does_not_end_is_not_waited_for_for_ever),
		cmocka_unit_test(test_a_copy_of_two_moments_is_marked_torn),
		cmocka_unit_test(test_a_table_in_an_update_is_marked_torn),
		cmocka_unit_test(test_the_file_of_a_killed_writer_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
