// SPDX-License-Identifier: GPL-3.0-or-later
/* What holds of each type of records, and checks of the fields of one record that need no other
 * record. The record's length has been checked against its chunk already. */
#include <string.h>

#include "profile/base/error.h"
#include "profile/read/raw.h"

static bool ends(const char *s, size_t room)
{
	return memchr(s, 0, room) != NULL;
}

static int check_function(const void *record, const struct record_checking *c)
{
	const struct scp_function *f = record;
	if (!ends(f->name, sizeof f->name) || !ends(f->library, sizeof f->library))
		return error_damaged(c->err, c->path, "the name of function %u has no end", f->id);
	if (f->rec.bytes > sizeof *f && !ends(f->long_name, f->rec.bytes - sizeof *f))
		return error_damaged(c->err, c->path, "the long name of function %u has no end",
				     f->id);
	return 0;
}

static int check_module(const void *record, const struct record_checking *c)
{
	const struct scp_module *m = record;
	if (m->id == 0 || m->id > UINT16_MAX)
		return error_damaged(c->err, c->path, "a module has the id %u", m->id);
	if (m->build_id_bytes > SCP_BUILD_ID_MAX)
		return error_damaged(c->err, c->path, "module %u has a build-id of %u bytes", m->id,
				     m->build_id_bytes);
	if (!ends(m->path, m->rec.bytes - offsetof(struct scp_module, path)))
		return error_damaged(c->err, c->path, "the path of module %u has no end", m->id);
	return 0;
}

static int check_table(const void *record, const struct record_checking *c)
{
	const struct scp_table *t = record;
	if (t->id != c->table)
		return error_damaged(c->err, c->path, "table %u stands in a chunk of table %u",
				     t->id, c->table);
	if (!ends(t->name, sizeof t->name))
		return error_damaged(c->err, c->path, "the name of table %u has no end", t->id);
	return 0;
}

static int check_path(const void *record, const struct record_checking *c)
{
	const struct scp_path *p = record;
	if (p->id == 0)
		return error_damaged(c->err, c->path, "a call path of table %u has the id 0",
				     c->table);
	if (p->shared > p->frames || p->shared > SCP_MAX_FRAMES || (p->shared && p->base == 0) ||
	    p->base >= p->id)
		return error_damaged(c->err, c->path,
				     "path %u of table %u shares %u frames with path %u", p->id,
				     c->table, p->shared, p->base);
	if (p->frames > SCP_MAX_FRAMES ||
	    raw_own_frames(p) >
		    (p->rec.bytes - offsetof(struct scp_path, frame)) / sizeof p->frame[0])
		return error_damaged(c->err, c->path, "path %u of table %u claims %u frames", p->id,
				     c->table, p->frames);
	return 0;
}

static int check_entry(const void *record, const struct record_checking *c)
{
	const struct scp_entry *e = record;
	if (e->id == 0)
		return error_damaged(c->err, c->path, "an entry of table %u has the id 0",
				     c->table);
	if (e->outcome >= SCP_TIMEOUT ||
	    (e->flags & SCP_ENTRY_TIMED_OUT && e->outcome != SCP_WOULD_BLOCK))
		return error_damaged(c->err, c->path, "entry %u of table %u has the outcome %u%s",
				     e->id, c->table, e->outcome,
				     e->flags & SCP_ENTRY_TIMED_OUT ? " and timed out" : "");
	if (e->batch_count > SCP_BATCHES ||
	    (e->batch_count && (e->batch_calls == 0 || (e->batch_calls & (e->batch_calls - 1)))))
		return error_damaged(c->err, c->path,
				     "entry %u of table %u claims %u batches of %llu calls", e->id,
				     c->table, e->batch_count, (unsigned long long)e->batch_calls);
	return 0;
}

static int check_hist(const void *record, const struct record_checking *c)
{
	const struct scp_hist *h = record;
	if (h->block >= SCP_HIST_BLOCKS * (h->rec.type == SCP_REC_HIST ? 1 : SCP_STATE_HISTS))
		return error_damaged(c->err, c->path,
				     "entry %u of table %u has a histogram block %u", h->entry,
				     c->table, h->block);
	return 0;
}

static int check_batch(const void *record, const struct record_checking *c)
{
	const struct scp_batch *b = record;
	if (b->clock > 1)
		return error_damaged(c->err, c->path,
				     "entry %u of table %u has batches of a clock %u", b->entry,
				     c->table, b->clock);
	return 0;
}

static int check_tail(const void *record, const struct record_checking *c)
{
	const struct scp_tail *t = record;
	if (t->octaves < 2 || t->octaves > SCP_TAIL_OCTAVES)
		return error_damaged(c->err, c->path,
				     "the tail of entry %u of table %u has %u octaves", t->entry,
				     c->table, t->octaves);
	return 0;
}

static int check_process(const void *record, const struct record_checking *c)
{
	const struct scp_process *p = record;
	uint64_t room = p->rec.bytes - offsetof(struct scp_process, strings);

	if (p->index == 0)
		return error_damaged(c->err, c->path, "a process has the index 0");
	if (p->end_state > SCP_END_DETACHED)
		return error_damaged(c->err, c->path, "the end state of process %u is %u", p->index,
				     p->end_state);
	if ((uint64_t)p->exe_bytes + p->argv_bytes > room || p->exe_bytes == 0 ||
	    p->strings[p->exe_bytes - 1] != 0 ||
	    (p->argv_bytes && p->strings[p->exe_bytes + p->argv_bytes - 1] != 0))
		return error_damaged(c->err, c->path, "the command line of process %u has no end",
				     p->index);
	room -= (uint64_t)p->exe_bytes + p->argv_bytes;
	if (room && !ends(p->strings + p->exe_bytes + p->argv_bytes, room))
		return error_damaged(c->err, c->path, "the name of process %u has no end",
				     p->index);
	return 0;
}

static int check_end(const void *record, const struct record_checking *c)
{
	const struct scp_end *e = record;
	uint32_t most = e->seen == SCP_END_STATUS   ? SCP_END_STATUS_MAX
			: e->seen == SCP_END_SIGNAL ? SCP_END_SIGNAL_MAX
						    : 0;

	if (e->seen > SCP_END_SIGNAL || e->value > most)
		return error_damaged(c->err, c->path,
				     "the end of process %u is of kind %u, value %u", e->process,
				     e->seen, e->value);
	return 0;
}

static int check_attached(const void *record, const struct record_checking *c)
{
	const struct scp_attached *a = record;
	if (a->flags & ~SCP_ATTACHED_FLAGS || a->in_calls > a->threads ||
	    a->stopped_ns > a->stopped_total_ns)
		return error_damaged(c->err, c->path,
				     "the attachment of process %u contradicts itself", a->process);
	return 0;
}

static bool sane_ps(int64_t value, int64_t error, uint32_t freedom)
{
	return value >= -SCP_SITE_COST_MAX_PS && value <= SCP_SITE_COST_MAX_PS && error >= 0 &&
	       error <= SCP_SITE_COST_MAX_PS && freedom > 0;
}

static int check_site_cost(const void *record, const struct record_checking *c)
{
	const struct scp_site_cost *s = record;
	if (s->state < SCP_SITE_COST_KNOWN || s->state > SCP_SITE_COST_FEW || s->group == 0 ||
	    s->kept_ppm > 1000000 || s->busy_ppm > 1000000)
		return error_damaged(c->err, c->path,
				     "the site cost of entry %u of table %u has state %u, group %u",
				     s->entry, c->table, s->state, s->group);
	if (s->state == SCP_SITE_COST_KNOWN &&
	    !(sane_ps(s->uncharged_ps, s->uncharged_error_ps, s->uncharged_freedom_ppk) &&
	      sane_ps(s->true_ps, s->true_error_ps, s->true_freedom_ppk)))
		return error_damaged(c->err, c->path,
				     "the site cost of entry %u of table %u has a value that no "
				     "regression gives",
				     s->entry, c->table);
	return 0;
}

static int check_account_text(const void *record, const struct record_checking *c)
{
	const struct scp_account_text *t = record;
	if (!ends(t->text, t->rec.bytes - offsetof(struct scp_account_text, text)))
		return error_damaged(c->err, c->path, "text %u of account %u has no end", t->index,
				     t->account);
	return 0;
}

static int check_path_difference(const void *record, const struct record_checking *c)
{
	const struct scp_path_difference *d = record;
	uint64_t room =
		(d->rec.bytes - offsetof(struct scp_path_difference, frame)) / sizeof d->frame[0];

	if (d->ours > SCP_MAX_FRAMES || d->theirs > SCP_MAX_FRAMES ||
	    (uint64_t)d->ours + d->theirs > room)
		return error_damaged(c->err, c->path, "path difference %u claims %u and %u frames",
				     d->id, d->ours, d->theirs);
	return 0;
}

static int check_source_function(const void *record, const struct record_checking *c)
{
	const struct scp_source_function *f = record;
	uint64_t room = f->rec.bytes - offsetof(struct scp_source_function, strings);

	if (f->id == 0)
		return error_damaged(c->err, c->path, "a source function has the id 0");
	if (f->name_bytes == 0 || f->name_bytes > SCP_SOURCE_NAME_MAX || f->file_bytes == 0 ||
	    f->file_bytes > SCP_SOURCE_FILE_MAX || f->name_bytes + f->file_bytes > room)
		return error_damaged(c->err, c->path,
				     "source function %u claims names of %u and %u bytes", f->id,
				     f->name_bytes, f->file_bytes);
	if (f->strings[f->name_bytes - 1] || f->strings[f->name_bytes + f->file_bytes - 1])
		return error_damaged(c->err, c->path, "a name of source function %u has no end",
				     f->id);
	return 0;
}

static int check_source_line(const void *record, const struct record_checking *c)
{
	const struct scp_source_line *l = record;
	return l->id ? 0 : error_damaged(c->err, c->path, "a source line has the id 0");
}

static int check_generated(const void *record, const struct record_checking *c)
{
	const struct scp_generated *g = record;
	uint64_t room = g->rec.bytes - offsetof(struct scp_generated, name);

	if (g->id == 0)
		return error_damaged(c->err, c->path, "generated code has the id 0");
	if (g->bytes == 0 || g->start + g->bytes < g->start)
		return error_damaged(c->err, c->path, "generated code %u has %llu bytes", g->id,
				     (unsigned long long)g->bytes);
	if (g->name_bytes == 0 || g->name_bytes > room || g->name[g->name_bytes - 1])
		return error_damaged(c->err, c->path, "the name of generated code %u has no end",
				     g->id);
	return 0;
}

#define OF_ENTRY(record)                                                                           \
	.least = sizeof(struct record), .id_at = offsetof(struct record, entry),                   \
	.reading = RAW_FIRST, .names = SCP_REC_ENTRY, .who = "a block of entry"
#define WITH_TEXT(record, text, bytes) .least = offsetof(struct record, text) + (bytes)
#define ID(record, field)	       .id_at = offsetof(struct record, field)
#define SUB(record, field)	       .sub_at = offsetof(struct record, field)

const struct record_kind record_kinds[RAW_TYPES] = {
	[SCP_REC_FUNCTION] = {"functions", .least = sizeof(struct scp_function),
			      ID(scp_function, id), .of_process = true, .check = check_function},
	[SCP_REC_MODULE] = {"modules", WITH_TEXT(scp_module, path, 1), ID(scp_module, id),
			    .of_process = true, .check = check_module},
	[SCP_REC_TABLE] = {"tables", .least = sizeof(struct scp_table), .check = check_table},
	[SCP_REC_PATH] = {"paths", WITH_TEXT(scp_path, frame, 0), ID(scp_path, id),
			  .check = check_path},
	[SCP_REC_ENTRY] = {"entries", .least = sizeof(struct scp_entry), ID(scp_entry, id),
			   .reading = RAW_SECOND, .check = check_entry},
	[SCP_REC_GAP] = {NULL, .least = sizeof(struct scp_gap), ID(scp_gap, from), SUB(scp_gap, to),
			 .reading = RAW_FIRST},
	[SCP_REC_HIST] = {"histogram blocks of an entry", OF_ENTRY(scp_hist), SUB(scp_hist, block),
			  .check = check_hist},
	[SCP_REC_BATCH] = {"batch blocks of an entry", OF_ENTRY(scp_batch), SUB(scp_batch, clock),
			   .check = check_batch},
	[SCP_REC_SLOW] = {"slow-clock records of an entry", OF_ENTRY(scp_slow)},
	[SCP_REC_PROCESS] = {"processes", WITH_TEXT(scp_process, strings, 1),
			     ID(scp_process, index), .of_process = true, .check = check_process},
	[SCP_REC_PHASE] = {"phase records of an entry", OF_ENTRY(scp_phase)},
	[SCP_REC_LINE] = {"line records of an entry", OF_ENTRY(scp_line)},
	/* what else is in it may change: see seqlock_snapshot_slowest_take */
	[SCP_REC_SLOWEST] = {"slowest calls", .least = sizeof(struct scp_slowest),
			     ID(scp_slowest, id), .optional = SCP_OPTIONAL_SLOWEST,
			     .reading = RAW_FIRST},
	[SCP_REC_SITE_COST] = {"site costs of an entry", OF_ENTRY(scp_site_cost),
			       .check = check_site_cost},
	[SCP_REC_ACCOUNT] = {"accounts", .least = sizeof(struct scp_account), ID(scp_account, id),
			     .optional = SCP_OPTIONAL_ACCOUNT},
	[SCP_REC_ACCOUNT_CPU] = {"parts of one CPU in an account",
				 .least = sizeof(struct scp_account_cpu),
				 ID(scp_account_cpu, account), SUB(scp_account_cpu, cpu),
				 .optional = SCP_OPTIONAL_ACCOUNT, .names = SCP_REC_ACCOUNT,
				 .who = "a part of account"},
	[SCP_REC_ACCOUNT_TEXT] = {"texts of an account", WITH_TEXT(scp_account_text, text, 1),
				  ID(scp_account_text, account), SUB(scp_account_text, index),
				  .optional = SCP_OPTIONAL_ACCOUNT, .names = SCP_REC_ACCOUNT,
				  .who = "a part of account", .check = check_account_text},
	[SCP_REC_STATES] = {"states of an entry", OF_ENTRY(scp_states),
			    .optional = SCP_OPTIONAL_STATES},
	[SCP_REC_STATE_BATCHES] = {"states by batches of an entry", OF_ENTRY(scp_state_batches),
				   .optional = SCP_OPTIONAL_STATES},
	[SCP_REC_STATE_HIST] = {"states' histogram blocks of an entry", OF_ENTRY(scp_hist),
				SUB(scp_hist, block), .optional = SCP_OPTIONAL_STATES,
				.check = check_hist},
	[SCP_REC_TABLE_STATES] = {"states of a table", .least = sizeof(struct scp_table_states),
				  .optional = SCP_OPTIONAL_STATES, .reading = RAW_FIRST},
	[SCP_REC_TAIL] = {"tail records of an entry", OF_ENTRY(scp_tail),
			  .optional = SCP_OPTIONAL_TAIL, .check = check_tail},
	[SCP_REC_PATH_DIFFERENCE] = {"path differences", WITH_TEXT(scp_path_difference, frame, 0),
				     ID(scp_path_difference, id), .optional = SCP_OPTIONAL_CHECKS,
				     .check = check_path_difference},
	[SCP_REC_FIRST_CALLS] = {"records of the first calls of an entry",
				 OF_ENTRY(scp_first_calls)},
	[SCP_REC_END] = {"ends of a process", .least = sizeof(struct scp_end), ID(scp_end, process),
			 .optional = SCP_OPTIONAL_ENDS, .names = SCP_REC_PROCESS,
			 .who = "the end of process", .check = check_end},
	[SCP_REC_LOOK] = {NULL, .least = sizeof(struct scp_look), ID(scp_look, function),
			  .optional = SCP_OPTIONAL_LOOK, .reading = RAW_FIRST,
			  .names = SCP_REC_FUNCTION, .who = "look"},
	[SCP_REC_ATTACH] = {"attachments of a process", .least = sizeof(struct scp_attached),
			    ID(scp_attached, process), .optional = SCP_OPTIONAL_ATTACH,
			    .names = SCP_REC_PROCESS, .who = "the attachment of process",
			    .check = check_attached},
	[SCP_REC_SOURCE_FUNCTION] = {"source functions", WITH_TEXT(scp_source_function, strings, 2),
				     ID(scp_source_function, id), .optional = SCP_OPTIONAL_SOURCE,
				     .check = check_source_function},
	[SCP_REC_SOURCE_LINE] = {"source lines", .least = sizeof(struct scp_source_line),
				 ID(scp_source_line, id), .optional = SCP_OPTIONAL_SOURCE,
				 .check = check_source_line},
	[SCP_REC_GENERATED] = {"pieces of generated code", WITH_TEXT(scp_generated, name, 1),
			       ID(scp_generated, id), .optional = SCP_OPTIONAL_SOURCE,
			       .check = check_generated},
};

int records_check(const char *path, const struct scp_record *rec, uint32_t table,
		  struct raw_ref *key, struct profile_error *err)
{
	const struct record_kind *kind = &record_kinds[rec->type];

	if (!kind->least)
		return error_damaged(err, path, "there is no record of type %u", rec->type);
	if (rec->bytes < kind->least)
		return error_damaged(err, path, "a record of type %u has only %u bytes", rec->type,
				     rec->bytes);
	key->table = table;
	key->id = raw_field(rec, kind->id_at);
	key->sub = raw_field(rec, kind->sub_at);
	return kind->check ? kind->check(rec, &(struct record_checking){path, table, err}) : 0;
}
