// SPDX-License-Identifier: Apache-2.0
/* Changes are made by whichever thread comes first; others go on as they were. */

#include "preload/clock/clock.h"
#include "preload/filter/control.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"
#include "preload/system/sys.h"

struct control control = {.window = 1};

static uint64_t page_word(void)
{
	return control.page ? __atomic_load_n(&control.page->word, __ATOMIC_ACQUIRE) : 1;
}

/* Nobody will stop recording where the tool was killed: then it stops now. */
static uint64_t poll_page(void)
{
	uint64_t word = page_word();
	if (word & SCP_CONTROL_TOOL_DIED)
		__atomic_store_n(&control.stopped, true, __ATOMIC_SEQ_CST);
	return word;
}

/* Time that the page's owner wanted recorded, up to now. */
static uint64_t wanted_ns(uint64_t now_ns)
{
	const struct scp_control_page *p = control.page;
	uint64_t on = 0, since = now_ns;
	if (!p)
		return now_ns;
	for (unsigned tries = 0; tries < 1000; tries++) {
		uint32_t seq = __atomic_load_n(&p->seq, __ATOMIC_ACQUIRE);
		on = p->on_ns;
		since = p->word & 1 ? p->since_ns : now_ns;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(seq & 1) && seq == __atomic_load_n(&p->seq, __ATOMIC_RELAXED))
			break;
		arch_relax();
	}
	return on + (now_ns > since ? now_ns - since : 0);
}

uint64_t control_recorded_ns(uint64_t now_ns)
{
	uint64_t wanted = control.stopped_seen ? 0 : wanted_ns(now_ns);
	return control.recorded_ns + (wanted > control.base_ns ? wanted - control.base_ns : 0);
}

bool control_is_due(void)
{
	return page_word() != control.seen ||
	       __atomic_load_n(&control.stopped, __ATOMIC_SEQ_CST) != control.stopped_seen;
}

static void account(bool stopped)
{
	uint64_t now = clock_mono_ns();
	if (stopped == control.stopped_seen)
		return;
	control.recorded_ns = control_recorded_ns(now);
	control.base_ns = stopped ? UINT64_MAX : wanted_ns(now);
	control.stopped_seen = stopped;
}

uint32_t control_settle(void)
{
	uint64_t word = poll_page();
	bool stopped = __atomic_load_n(&control.stopped, __ATOMIC_SEQ_CST);
	bool record = (word & 1) && !stopped;
	account(stopped);
	control.seen = word;
	control.used = true;
	control.windows += record;
	__atomic_add_fetch(&control.window, 1, __ATOMIC_RELAXED);
	return record ? control.groups : GROUPS_PAUSED;
}

uint32_t control_begin(uint32_t groups)
{
	control.busy = 0; /* its holder is not in this process */
	control.groups = groups;
	control.seen = poll_page();
	control.stopped_seen = control.stopped;
	control.recorded_ns = 0;
	control.base_ns = control.stopped ? UINT64_MAX : wanted_ns(clock_mono_ns());
	bool record = (control.seen & 1) && !control.stopped;
	control.windows = record;
	if (!groups)
		return 0;
	return record ? control.groups : GROUPS_PAUSED;
}

void control_stop(bool stopped)
{
	struct scp_control_changes *all = control.changes;
	control.used = true;
	if (all && control.stopped != stopped) {
		uint32_t n = (uint32_t)__atomic_add_fetch(&all->count, 1, __ATOMIC_RELAXED);
		struct scp_control_change *c = &all->change[n % SCP_CONTROL_CHANGES];
		c->at_ns = clock_mono_ns();
		c->pid_on = process_epoch.now.pid << 1 | !stopped;
		__atomic_store_n(&c->number, n, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&control.stopped, stopped, __ATOMIC_SEQ_CST);
}

static void *page_at; /* memos and threads may still read one of an earlier session */

void control_forget(void)
{
	sys_empty_page(page_at, SCP_CONTROL_BYTES, PROT_READ);
	control.page = NULL;
	control.changes = NULL;
	control.stopped = control.stopped_seen = control.used = false;
	control.recorded_ns = control.base_ns = 0;
}

/* SCPROF_STOPPED of `scprof run`, which waits for a profile: stopped, but not dormant. */
static bool is_run(const char *value)
{
	return value && (*value == '/' || text_equal(value, SCP_CONTROL_STOPPED_RUN));
}

void control_read(void)
{
	static const struct {
		const char *variable, *key;
	} known[] = {{"SCPROF_AFTER", "after="},
		     {"SCPROF_FOR", "for="},
		     {"SCPROF_SIGNAL", "signal="},
		     {"SCPROF_STOPPED", "stopped="}};
	const char *page = settings_variable("SCPROF_CONTROL");
	const char *value[4];
	for (unsigned i = 0; i < 4; i++) {
		value[i] = settings_variable(known[i].variable);
		filter_note(known[i].key, is_run(value[i]) ? "1" : value[i]);
	}
	if (page)
		control.page = sys_put_page(&page_at,
					    sys_map_given(page, O_RDONLY, sizeof *control.page,
							  SCP_CONTROL_BYTES, SCP_CONTROL_MAGIC),
					    SCP_CONTROL_BYTES);
	for (unsigned i = 0; i < 2 && !control.page; i++) /* there is no tool that keeps the time */
		if (value[i])
			filter_note_ignored(known[i].variable);
	/* With a page, its owner starts what begins stopped. */
	control.stopped = !control.page && value[3] && !text_equal(value[3], "0");
	if (control.stopped && *value[3] == '/')
		control.changes = sys_map_given(value[3], O_RDWR, SCP_CONTROL_BYTES,
						SCP_CONTROL_BYTES, SCP_CONTROL_CHANGES_MAGIC);
	control.begins_dormant = control.stopped && !page && !is_run(value[3]);
	control.used = control.page || control.stopped || value[2];
}
