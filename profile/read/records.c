// SPDX-License-Identifier: GPL-3.0-or-later
/* Check the fields of one record that need no other record, and give the key
 * under which it is listed:
 *   FUNCTION, MODULE, PROCESS  (0, id, 0)       TABLE  (id, 0, 0)
 *   PATH, ENTRY                (table, id, 0)   GAP    (table, from, to)
 *   HIST  (table, entry, block)   BATCH (table, entry, clock)
 *   FIRST_CALLS, SLOW, PHASE, LINE, TAIL, SITE_COST  (table, entry, 0)   SLOWEST (table, id, 0)
 *   STATES, STATE_BATCHES  (table, entry, 0)   STATE_HIST  (table, entry, block)
 *   TABLE_STATES  (table, 0, 0)   LOOK  (table, function, 0)
 *   PATH_DIFFERENCE  (0, id, 0)   END  (0, process, 0)
 *   SOURCE_FUNCTION, SOURCE_LINE, GENERATED  (0, id, 0)
 *   ACCOUNT  (0, id, 0)   ACCOUNT_CPU (0, account, cpu)   ACCOUNT_TEXT (0, account, index)
 * The record's length has been checked against its chunk already.
 */
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"

static bool ends(const char *s, size_t room)
{
	return memchr(s, 0, room) != NULL;
}

static int check_function(const char *path, const struct scp_function *f, struct raw_ref *key,
			  struct profile_error *err)
{
	key->id = f->id;
	if (!ends(f->name, sizeof f->name) || !ends(f->library, sizeof f->library))
		return error_damaged(err, path, "the name of function %u has no end", f->id);
	if (f->rec.bytes > sizeof *f && !ends(f->long_name, f->rec.bytes - sizeof *f))
		return error_damaged(err, path, "the long name of function %u has no end", f->id);
	return 0;
}

static int check_module(const char *path, const struct scp_module *m, struct raw_ref *key,
			struct profile_error *err)
{
	key->id = m->id;
	if (m->id == 0 || m->id > UINT16_MAX)
		return error_damaged(err, path, "a module has the id %u", m->id);
	if (m->build_id_bytes > SCP_BUILD_ID_MAX)
		return error_damaged(err, path, "module %u has a build-id of %u bytes", m->id,
				     m->build_id_bytes);
	if (!ends(m->path, m->rec.bytes - offsetof(struct scp_module, path)))
		return error_damaged(err, path, "the path of module %u has no end", m->id);
	return 0;
}

static int check_table(const char *path, const struct scp_table *t, struct raw_ref *key,
		       struct profile_error *err)
{
	if (t->id != key->table)
		return error_damaged(err, path, "table %u stands in a chunk of table %u", t->id,
				     key->table);
	if (!ends(t->name, sizeof t->name))
		return error_damaged(err, path, "the name of table %u has no end", t->id);
	return 0;
}

static int check_path(const char *path, const struct scp_path *p, struct raw_ref *key,
		      struct profile_error *err)
{
	key->id = p->id;
	if (p->id == 0)
		return error_damaged(err, path, "a call path of table %u has the id 0", key->table);
	if (p->shared > p->frames || p->shared > SCP_MAX_FRAMES || (p->shared && p->base == 0) ||
	    p->base >= p->id)
		return error_damaged(err, path, "path %u of table %u shares %u frames with path %u",
				     p->id, key->table, p->shared, p->base);
	if (p->frames > SCP_MAX_FRAMES ||
	    raw_own_frames(p) >
		    (p->rec.bytes - offsetof(struct scp_path, frame)) / sizeof p->frame[0])
		return error_damaged(err, path, "path %u of table %u claims %u frames", p->id,
				     key->table, p->frames);
	return 0;
}

static int check_entry(const char *path, const struct scp_entry *e, struct raw_ref *key,
		       struct profile_error *err)
{
	key->id = e->id;
	if (e->id == 0)
		return error_damaged(err, path, "an entry of table %u has the id 0", key->table);
	if (e->outcome >= SCP_TIMEOUT ||
	    (e->flags & SCP_ENTRY_TIMED_OUT && e->outcome != SCP_WOULD_BLOCK))
		return error_damaged(err, path, "entry %u of table %u has the outcome %u%s", e->id,
				     key->table, e->outcome,
				     e->flags & SCP_ENTRY_TIMED_OUT ? " and timed out" : "");
	if (e->batch_count > SCP_BATCHES ||
	    (e->batch_count && (e->batch_calls == 0 || (e->batch_calls & (e->batch_calls - 1)))))
		return error_damaged(
			err, path, "entry %u of table %u claims %u batches of %llu calls", e->id,
			key->table, e->batch_count, (unsigned long long)e->batch_calls);
	return 0;
}

static int check_hist(const char *path, const struct scp_hist *h, uint32_t blocks,
		      struct raw_ref *key, struct profile_error *err)
{
	key->id = h->entry;
	key->sub = h->block;
	if (h->block >= blocks)
		return error_damaged(err, path, "entry %u of table %u has a histogram block %u",
				     h->entry, key->table, h->block);
	return 0;
}

static int check_batch(const char *path, const struct scp_batch *b, struct raw_ref *key,
		       struct profile_error *err)
{
	key->id = b->entry;
	key->sub = b->clock;
	if (b->clock > 1)
		return error_damaged(err, path, "entry %u of table %u has batches of a clock %u",
				     b->entry, key->table, b->clock);
	return 0;
}

static int check_tail(const char *path, const struct scp_tail *t, struct raw_ref *key,
		      struct profile_error *err)
{
	key->id = t->entry;
	if (t->octaves < 2 || t->octaves > SCP_TAIL_OCTAVES)
		return error_damaged(err, path, "the tail of entry %u of table %u has %u octaves",
				     t->entry, key->table, t->octaves);
	return 0;
}

static int check_process(const char *path, const struct scp_process *p, struct raw_ref *key,
			 struct profile_error *err)
{
	uint64_t room = p->rec.bytes - offsetof(struct scp_process, strings);

	key->id = p->index;
	if (p->index == 0)
		return error_damaged(err, path, "a process has the index 0");
	if (p->end_state > SCP_END_DETACHED)
		return error_damaged(err, path, "the end state of process %u is %u", p->index,
				     p->end_state);
	if ((uint64_t)p->exe_bytes + p->argv_bytes > room || p->exe_bytes == 0 ||
	    p->strings[p->exe_bytes - 1] != 0 ||
	    (p->argv_bytes && p->strings[p->exe_bytes + p->argv_bytes - 1] != 0))
		return error_damaged(err, path, "the command line of process %u has no end",
				     p->index);
	room -= (uint64_t)p->exe_bytes + p->argv_bytes;
	if (room && !ends(p->strings + p->exe_bytes + p->argv_bytes, room))
		return error_damaged(err, path, "the name of process %u has no end", p->index);
	return 0;
}

static int check_end(const char *path, const struct scp_end *e, struct raw_ref *key,
		     struct profile_error *err)
{
	uint32_t most = e->seen == SCP_END_STATUS   ? SCP_END_STATUS_MAX
			: e->seen == SCP_END_SIGNAL ? SCP_END_SIGNAL_MAX
						    : 0;

	key->id = e->process;
	if (e->seen > SCP_END_SIGNAL || e->value > most)
		return error_damaged(err, path, "the end of process %u is of kind %u, value %u",
				     e->process, e->seen, e->value);
	return 0;
}

static int check_attached(const char *path, const struct scp_attached *a, struct raw_ref *key,
			  struct profile_error *err)
{
	key->id = a->process;
	if (a->flags & ~SCP_ATTACHED_FLAGS || a->in_calls > a->threads ||
	    a->stopped_ns > a->stopped_total_ns)
		return error_damaged(err, path, "the attachment of process %u contradicts itself",
				     a->process);
	return 0;
}

static bool sane_ps(int64_t value, int64_t error, uint32_t freedom)
{
	return value >= -SCP_SITE_COST_MAX_PS && value <= SCP_SITE_COST_MAX_PS && error >= 0 &&
	       error <= SCP_SITE_COST_MAX_PS && freedom > 0;
}

static int check_site_cost(const char *path, const struct scp_site_cost *c, struct raw_ref *key,
			   struct profile_error *err)
{
	key->id = c->entry;
	if (c->state < SCP_SITE_COST_KNOWN || c->state > SCP_SITE_COST_FEW || c->group == 0 ||
	    c->undithered > SCP_SITE_COST_SHARED || c->kept_ppm > 1000000 || c->busy_ppm > 1000000)
		return error_damaged(err, path,
				     "the site cost of entry %u of table %u has state %u, group %u",
				     c->entry, key->table, c->state, c->group);
	if (c->state == SCP_SITE_COST_KNOWN &&
	    !(sane_ps(c->uncharged_ps, c->uncharged_error_ps, c->uncharged_freedom_ppk) &&
	      sane_ps(c->true_ps, c->true_error_ps, c->true_freedom_ppk)))
		return error_damaged(err, path,
				     "the site cost of entry %u of table %u has a value that no "
				     "regression gives",
				     c->entry, key->table);
	return 0;
}

static int check_account_text(const char *path, const struct scp_account_text *t,
			      struct raw_ref *key, struct profile_error *err)
{
	key->id = t->account;
	key->sub = t->index;
	if (!ends(t->text, t->rec.bytes - offsetof(struct scp_account_text, text)))
		return error_damaged(err, path, "text %u of account %u has no end", t->index,
				     t->account);
	return 0;
}

static int check_path_difference(const char *path, const struct scp_path_difference *d,
				 struct raw_ref *key, struct profile_error *err)
{
	uint64_t room =
		(d->rec.bytes - offsetof(struct scp_path_difference, frame)) / sizeof d->frame[0];

	key->id = d->id;
	if (d->ours > SCP_MAX_FRAMES || d->theirs > SCP_MAX_FRAMES ||
	    (uint64_t)d->ours + d->theirs > room)
		return error_damaged(err, path, "path difference %u claims %u and %u frames", d->id,
				     d->ours, d->theirs);
	return 0;
}

static int check_source_function(const char *path, const struct scp_source_function *f,
				 struct raw_ref *key, struct profile_error *err)
{
	uint64_t room = f->rec.bytes - offsetof(struct scp_source_function, strings);

	key->id = f->id;
	if (f->id == 0)
		return error_damaged(err, path, "a source function has the id 0");
	if (f->name_bytes == 0 || f->name_bytes > SCP_SOURCE_NAME_MAX || f->file_bytes == 0 ||
	    f->file_bytes > SCP_SOURCE_FILE_MAX || f->name_bytes + f->file_bytes > room)
		return error_damaged(err, path,
				     "source function %u claims names of %u and %u bytes", f->id,
				     f->name_bytes, f->file_bytes);
	if (f->strings[f->name_bytes - 1] || f->strings[f->name_bytes + f->file_bytes - 1])
		return error_damaged(err, path, "a name of source function %u has no end", f->id);
	return 0;
}

static int check_source_line(const char *path, const struct scp_source_line *l, struct raw_ref *key,
			     struct profile_error *err)
{
	key->id = l->id;
	return l->id ? 0 : error_damaged(err, path, "a source line has the id 0");
}

static int check_generated(const char *path, const struct scp_generated *g, struct raw_ref *key,
			   struct profile_error *err)
{
	uint64_t room = g->rec.bytes - offsetof(struct scp_generated, name);

	key->id = g->id;
	if (g->id == 0)
		return error_damaged(err, path, "generated code has the id 0");
	if (g->bytes == 0 || g->start + g->bytes < g->start)
		return error_damaged(err, path, "generated code %u has %llu bytes", g->id,
				     (unsigned long long)g->bytes);
	if (g->name_bytes == 0 || g->name_bytes > room || g->name[g->name_bytes - 1])
		return error_damaged(err, path, "the name of generated code %u has no end", g->id);
	return 0;
}

/* Sizes at the least, by enum scp_record_type. */
static const uint32_t least_bytes[RAW_TYPES] = {
	[SCP_REC_FUNCTION] = sizeof(struct scp_function),
	[SCP_REC_MODULE] = offsetof(struct scp_module, path) + 1,
	[SCP_REC_TABLE] = sizeof(struct scp_table),
	[SCP_REC_PATH] = offsetof(struct scp_path, frame),
	[SCP_REC_ENTRY] = sizeof(struct scp_entry),
	[SCP_REC_GAP] = sizeof(struct scp_gap),
	[SCP_REC_HIST] = sizeof(struct scp_hist),
	[SCP_REC_BATCH] = sizeof(struct scp_batch),
	[SCP_REC_SLOW] = sizeof(struct scp_slow),
	[SCP_REC_PROCESS] = offsetof(struct scp_process, strings) + 1,
	[SCP_REC_PHASE] = sizeof(struct scp_phase),
	[SCP_REC_LINE] = sizeof(struct scp_line),
	[SCP_REC_SLOWEST] = sizeof(struct scp_slowest),
	[SCP_REC_SITE_COST] = sizeof(struct scp_site_cost),
	[SCP_REC_ACCOUNT] = sizeof(struct scp_account),
	[SCP_REC_ACCOUNT_CPU] = sizeof(struct scp_account_cpu),
	[SCP_REC_ACCOUNT_TEXT] = offsetof(struct scp_account_text, text) + 1,
	[SCP_REC_STATES] = sizeof(struct scp_states),
	[SCP_REC_STATE_BATCHES] = sizeof(struct scp_state_batches),
	[SCP_REC_STATE_HIST] = sizeof(struct scp_hist),
	[SCP_REC_TABLE_STATES] = sizeof(struct scp_table_states),
	[SCP_REC_TAIL] = sizeof(struct scp_tail),
	[SCP_REC_PATH_DIFFERENCE] = offsetof(struct scp_path_difference, frame),
	[SCP_REC_FIRST_CALLS] = sizeof(struct scp_first_calls),
	[SCP_REC_END] = sizeof(struct scp_end),
	[SCP_REC_LOOK] = sizeof(struct scp_look),
	[SCP_REC_ATTACH] = sizeof(struct scp_attached),
	[SCP_REC_SOURCE_FUNCTION] = offsetof(struct scp_source_function, strings) + 2,
	[SCP_REC_SOURCE_LINE] = sizeof(struct scp_source_line),
	[SCP_REC_GENERATED] = offsetof(struct scp_generated, name) + 1,
};

_Static_assert(offsetof(struct scp_slow, entry) == sizeof(struct scp_record) &&
		       offsetof(struct scp_first_calls, entry) == sizeof(struct scp_record) &&
		       offsetof(struct scp_phase, entry) == sizeof(struct scp_record) &&
		       offsetof(struct scp_line, entry) == sizeof(struct scp_record) &&
		       offsetof(struct scp_states, entry) == sizeof(struct scp_record) &&
		       offsetof(struct scp_state_batches, entry) == sizeof(struct scp_record),
	       "blocks of an entry name it first");

static uint32_t entry_of(const struct scp_record *block)
{
	return *(const uint32_t *)(const void *)(block + 1);
}

int records_check(const char *path, const struct scp_record *rec, uint32_t table,
		  struct raw_ref *key, struct profile_error *err)
{
	const void *r = rec;

	key->table = table;
	if (!least_bytes[rec->type])
		return error_damaged(err, path, "there is no record of type %u", rec->type);
	if (rec->bytes < least_bytes[rec->type])
		return error_damaged(err, path, "a record of type %u has only %u bytes", rec->type,
				     rec->bytes);
	switch (rec->type) {
	case SCP_REC_FUNCTION:
		return check_function(path, r, key, err);
	case SCP_REC_MODULE:
		return check_module(path, r, key, err);
	case SCP_REC_TABLE:
		return check_table(path, r, key, err);
	case SCP_REC_PATH:
		return check_path(path, r, key, err);
	case SCP_REC_ENTRY:
		return check_entry(path, r, key, err);
	case SCP_REC_HIST:
		return check_hist(path, r, SCP_HIST_BLOCKS, key, err);
	case SCP_REC_STATE_HIST:
		return check_hist(path, r, SCP_HIST_BLOCKS * SCP_STATE_HISTS, key, err);
	case SCP_REC_BATCH:
		return check_batch(path, r, key, err);
	case SCP_REC_SITE_COST:
		return check_site_cost(path, r, key, err);
	case SCP_REC_ACCOUNT:
		key->id = ((const struct scp_account *)r)->id;
		return 0;
	case SCP_REC_ACCOUNT_CPU:
		key->id = ((const struct scp_account_cpu *)r)->account;
		key->sub = ((const struct scp_account_cpu *)r)->cpu;
		return 0;
	case SCP_REC_ACCOUNT_TEXT:
		return check_account_text(path, r, key, err);
	case SCP_REC_GAP:
		key->id = ((const struct scp_gap *)r)->from;
		key->sub = ((const struct scp_gap *)r)->to;
		return 0;
	case SCP_REC_FIRST_CALLS:
	case SCP_REC_SLOW:
	case SCP_REC_PHASE:
	case SCP_REC_LINE:
	case SCP_REC_STATES:
	case SCP_REC_STATE_BATCHES:
		key->id = entry_of(rec);
		return 0;
	case SCP_REC_TABLE_STATES:
		return 0;
	case SCP_REC_SLOWEST: /* what else is in it may change: see seqlock_snapshot_slowest_take */
		key->id = ((const struct scp_slowest *)r)->id;
		return 0;
	case SCP_REC_LOOK:
		key->id = ((const struct scp_look *)r)->function;
		return 0;
	case SCP_REC_TAIL:
		return check_tail(path, r, key, err);
	case SCP_REC_PATH_DIFFERENCE:
		return check_path_difference(path, r, key, err);
	case SCP_REC_END:
		return check_end(path, r, key, err);
	case SCP_REC_ATTACH:
		return check_attached(path, r, key, err);
	case SCP_REC_SOURCE_FUNCTION:
		return check_source_function(path, r, key, err);
	case SCP_REC_SOURCE_LINE:
		return check_source_line(path, r, key, err);
	case SCP_REC_GENERATED:
		return check_generated(path, r, key, err);
	default:
		return check_process(path, r, key, err);
	}
}
