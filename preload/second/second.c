// SPDX-License-Identifier: Apache-2.0
/* Everything here is under one lock that nobody waits for long: libunwind has locks of its own,
 * which are then never held when it is entered. All scratch memory is static, too: stacks may be
 * small. */

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "include/scprof_version.h"
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/second/libunwind_walk.h"
#include "preload/second/second.h"
#include "preload/system/sys.h"
#include "preload/process/libc.h"

#define PAGES		 16u
#define PATIENCE	 1000u /* turns in which others may run */
#define PATH_MOST	 4096u
#define LIBC_DLOPEN_MODE 0x80000000u /* what dlopen itself adds */

struct second second;

/* A walk as it was recorded. */
struct second_walk {
	const struct walk_start *from;
	const uint64_t *frame;	/* SCP_FRAME(), innermost first */
	uint32_t frames, flags; /* SCP_PATH_* */
	struct scp_header *header;
	uint32_t session; /* both are the thread's, and the numbers of the frames, too */
};

static struct {
	libunwind_walk_function *walk;
	bool shared; /* the program uses libunwind itself: its locks are not ours alone */
	uint32_t busy, turn;
	uint64_t page[PAGES]; /* that can be read */
	uint32_t next_page;
	struct unwind_cursor cursor;
	struct unwind_work work;
	struct libunwind_walk theirs;
	uint64_t frame[LIBUNWIND_WALK_FRAMES]; /* of theirs */
	uint32_t frames;
	struct file_chunk chunk; /* of CHECKS */
	uint32_t differences;
} state;

enum verdict { EQUAL, DIFFERENT, UNDECIDED };

bool second_choose(const char *one_in)
{
	uint64_t n = 0;
	bool is_number = !one_in || !one_in[text_number(one_in, 0, TEXT_DIGITS, &n)];
	second.one_in = is_number && n <= UINT32_MAX ? (uint32_t)n : 0;
	return is_number && n <= UINT32_MAX;
}

/* Beside this library. */
static bool find_object(char *path, size_t room)
{
	struct unwind_object self;
	if (!unwind_object_find_object((uint64_t)find_object, &self) || !*self.name)
		return false;
	size_t at = (size_t)(text_basename(self.name) - self.name);
	if (at + sizeof LIBUNWIND_WALK_OBJECT > room)
		return false;
	bytes_copy(path, self.name, at);
	text_append(path, room, at, LIBUNWIND_WALK_OBJECT);
	return true;
}

static int is_libunwind(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size, (void)data;
	return text_begins_with(text_basename(info->dlpi_name), "libunwind");
}

/* libunwind is to call libc, and not what stands in front of it: stubs of selected functions, other
 * allocators. Sanitizers end a program that asks for that. */
static void load(const char *path)
{
	state.shared = dl_iterate_phdr(is_libunwind, NULL) != 0;
	bool sanitized = libc_find("__sanitizer_set_report_path") != NULL;
	int flags = RTLD_LOCAL | RTLD_NOW | (sanitized ? 0 : RTLD_DEEPBIND);
	/* Before glibc 2.34, of programs without libdl, by libc's own. */
	bool own = !dlopen || !dlsym;
	void *(*open)(const char *, int) = dlopen;
	void *(*find)(void *, const char *) = dlsym;
	if (own) {
		open = (void *(*)(const char *, int))libc_find("__libc_dlopen_mode");
		find = (void *(*)(void *, const char *))libc_find("__libc_dlsym");
	}
	void *object =
		open && find ? open(path, own ? (int)(flags | LIBC_DLOPEN_MODE) : flags) : NULL;
	libunwind_walk_begin_function *begin =
		object ? (libunwind_walk_begin_function *)find(object, "scprof_libunwind_begin")
		       : NULL;
	if (begin && begin(SCPROF_VERSION))
		state.walk = (libunwind_walk_function *)find(object, "scprof_libunwind_walk");
	libc_forget_error();
	second.unwinder = state.walk != NULL;
}

void second_load(void)
{
	static LARGE char path[PATH_MOST];
	uint32_t groups = process_groups;
	if (!second.one_in || state.walk || !find_object(path, sizeof path))
		return;
	process_groups = 0; /* what the loader calls is not the program's */
	load(path);
	process_groups = groups;
	if (groups && process.file->header) /* else it has not begun: second_begin_file */
		process.file->header->path_checks.unwinder = second.unwinder;
}

/* Whoever had libunwind when the process forked has left its locks as they were. */
void second_note_fork(void)
{
	if (state.busy || state.shared) {
		state.walk = NULL;
		second.unwinder = 0;
	}
	state.busy = 0;
}

/* A thread of the session before may be in libunwind still: that has one stack, which it gives back
 * itself. */
void second_begin_file(void)
{
	struct scp_header *h = process.file->header;
	state.chunk = (struct file_chunk){0};
	state.differences = 0;
	if (!h)
		return;
	h->path_checks.one_in = second.one_in;
	h->path_checks.unwinder = second.unwinder;
}

static bool readable(uint64_t address)
{
	for (uint64_t page = address & ~UINT64_C(4095); page <= address + 7; page += 4096) {
		bool known = false;
		for (unsigned i = 0; i < PAGES; i++)
			known |= state.page[i] == page;
		if (known)
			continue;
		if (!sys_can_read(page))
			return false;
		state.page[state.next_page++ % PAGES] = page;
	}
	return true;
}

/* Only where we read a row with a CFA, too: some builds of libunwind end the program on one
 * without. */
static bool find(uint64_t pc, struct unwind_object *o)
{
	struct unwind_cursor *c = &state.cursor;
	bool signal_frame;
	uint64_t ra;
	unwind_register_begin(c, pc, 0, 0);
	c->exact = true;
	c->work = &state.work;
	return unwind_object_find_object(pc, o) && o->eh_frame_hdr &&
	       unwind_cfi_find_row(c, &signal_frame, &ra) &&
	       (c->work->row.cfa_expression || c->work->row.cfa_register < ARCH_REGS);
}

static void ask(const struct second_walk *w)
{
	struct libunwind_walk *theirs = &state.theirs;
	for (unsigned i = 0; i < PAGES; i++)
		state.page[i] = ~UINT64_C(0);
	theirs->readable = readable;
	theirs->find = find;
	theirs->ra = w->from->ra;
	theirs->cfa = w->from->sp;
	theirs->fp = w->from->fp;
	theirs->most = LIBUNWIND_WALK_FRAMES;
	state.walk(theirs);
	state.frames = 0;
	for (uint32_t i = 0; i < theirs->count; i++)
		if (!modules_is_ours(theirs->pc[i]))
			state.frame[state.frames++] =
				modules_frame(theirs->pc[i], theirs->exact[i]);
}

/* *at: the first frame in which they differ. */
static enum verdict compare(const struct second_walk *w, uint32_t *at)
{
	bool ended = state.theirs.end == LIBUNWIND_WALK_ENDED;
	for (*at = 0; *at < w->frames; (*at)++) {
		if (w->frame[*at] & SCP_FRAME_HEURISTIC)
			return EQUAL;
		if (*at == state.frames)
			return ended ? DIFFERENT : UNDECIDED;
		if (w->frame[*at] != state.frame[*at])
			return DIFFERENT;
	}
	if (w->flags)
		return EQUAL;
	return state.frames > w->frames ? DIFFERENT : ended ? EQUAL : UNDECIDED;
}

/* The frames of both walks, from the first one in which they differ on. */
static void record(const struct second_walk *walk, uint32_t at)
{
	uint32_t ours = walk->frames - at, theirs = state.frames - at;
	struct scp_path_difference *r;
	uint64_t bytes = sizeof *r + 8 * ((uint64_t)ours + theirs);
	r = modules_record(&state.chunk, SCP_OPTIONAL_CHECKS, SCP_REC_PATH_DIFFERENCE, bytes);
	if (!r)
		return;
	r->id = ++state.differences;
	r->at = at;
	r->ours = ours;
	r->theirs = theirs;
	bytes_copy(r->frame, walk->frame + at, 8 * (size_t)ours);
	bytes_copy(r->frame + ours, state.frame + at, 8 * (size_t)theirs);
	file_publish_record(&state.chunk, r->rec.bytes);
}

static void judge(const struct second_walk *w, struct scp_path_checks *counts)
{
	uint64_t signals;
	uint32_t at;
	ask(w);
	enum verdict v = compare(w, &at);
	__atomic_add_fetch(v == UNDECIDED ? &counts->undecided : &counts->verified, 1,
			   __ATOMIC_RELAXED);
	if (v != DIFFERENT)
		return;
	__atomic_add_fetch(&counts->differ, 1, __ATOMIC_RELAXED);
	if (state.differences < SCP_PATH_DIFFERENCES_MAX && modules_enter(&signals)) {
		if (w->session == process_epoch.now.session)
			record(w, at);
		modules_leave(&signals);
	}
}

static bool take(void)
{
	for (unsigned i = 0; i < PATIENCE; i++) {
		if (flag_take(&state.busy))
			return true;
		sys0(SYS_sched_yield);
	}
	return false;
}

/* libunwind holds signals by libc, which lets that of cancellation come. */
static void set_cancellation(int to, int *before)
{
	if (pthread_setcanceltype)
		pthread_setcanceltype(to, before);
}

static void walk_again(const struct second_walk *w, uint32_t one_in)
{
	uint64_t signals;
	int cancellation = PTHREAD_CANCEL_DEFERRED;
	bool walked = false;
	if (!w->header || __atomic_fetch_add(&state.turn, 1, __ATOMIC_RELAXED) % one_in)
		return;
	if (state.walk && w->frames && !sys_sandboxed && !(w->flags & SCP_PATH_SMALL_STACK)) {
		sys_hold_signals(&signals); /* a handler must not leave meanwhile */
		walked = take();
		if (walked) {
			set_cancellation(PTHREAD_CANCEL_DEFERRED, &cancellation);
			judge(w, &w->header->path_checks);
			flag_give(&state.busy);
		}
		sys_release_signals(&signals);
		if (walked)
			set_cancellation(cancellation, &cancellation);
	}
	if (!walked)
		process_count(path_checks.undecided, 1);
}

/* Python's frames are left out: libunwind does not know them. */
COLD void second_check_path(const struct scp_thread *t, const struct walk_start *from)
{
	const struct walk_result *r = &t->found;
	/* Read once: the next session may ask for none. */
	uint32_t one_in = __atomic_load_n(&second.one_in, __ATOMIC_RELAXED);
	struct second_walk w = {.from = from,
				.frame = r->frame,
				.frames = r->frame_count,
				.flags = r->flags & ~SCP_PATH_PYTHON_CUT,
				.header = t->file->header,
				.session = t->session};
	if (r->flags & SCP_PATH_HEURISTIC)
		process_count(path_checks.heuristic, 1);
	if (likely(!one_in))
		return;
	if (t->walk.merges) {
		w.frame = t->c_frames.frame;
		w.frames = t->c_frames.count;
		w.flags |= w.frames == SCP_MAX_FRAMES ? SCP_PATH_TRUNCATED : 0;
	}
	walk_again(&w, one_in);
}
