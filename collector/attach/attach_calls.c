// SPDX-License-Identifier: GPL-3.0-or-later
/* The calls that a borrowed thread makes: mmap on its own stack, all others on the area that came
 * of that, or of an earlier time. */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "collector/attach/attach_work.h"
#include "profile/base/error.h"

/* Memory for stack and texts. */
static int make_area(struct attach_working *w, uint64_t room)
{
	const uint64_t map[6] = {0,
				 AREA_BYTES,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				 (uint64_t)-1,
				 0};
	uint64_t guard[6] = {0, AREA_GUARD, PROT_NONE};
	enum remote_result result = remote_ground(&w->remote, room, w->err);
	int64_t at = 0, status = 0;

	if (result != REMOTE_FINE)
		return result == REMOTE_PASSED
			       ? attach_state_say(w, "a thread's stack cannot be written")
			       : -1;
	if (remote_syscall(&w->remote, SYS_mmap, map, &at, w->err) != 0)
		return -1;
	if (at < 0 && at > -4096)
		return error_set(w->err, "process %d: no memory in it: %s",
				 (int)w->remote.target.pid, strerror((int)-at));
	w->area = (uint64_t)at;
	w->head = w->area + AREA_GROUND;
	guard[0] = w->area;
	w->remote.traces.area = w->area;
	w->remote.traces.area_bytes = AREA_BYTES;
	return remote_syscall(&w->remote, SYS_mprotect, guard, &status, w->err);
}

/* Where errno of the borrowed thread lies, by the code of __errno_location; 0: not known.
 * mov OFFSET(%rip),%rax; add %fs:0,%rax; ret: the word at OFFSET is errno's place in the block of
 * each thread. */
static uint64_t find_errno(const struct remote *r, uint64_t errno_location)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x05};
	static const uint8_t add[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0, 0xc3};
	static const uint8_t branch_mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[4 + 7 + sizeof(add)];
	const uint8_t *at = code;
	int32_t offset;

	if (!errno_location || !remote_read(r, errno_location, code, sizeof(code)))
		return 0;
	if (memcmp(at, branch_mark, 4) == 0)
		at += 4;
	if (memcmp(at, load, sizeof(load)) != 0 || memcmp(at + 7, add, sizeof(add)) != 0)
		return 0;
	memcpy(&offset, at + 3, sizeof(offset));
	uint64_t word = errno_location + (uint64_t)(at - code) + 7 + (uint64_t)(int64_t)offset;
	if (!remote_read(r, word, &word, sizeof(word)))
		return 0;
	return r->was.regs.fs_base + word;
}

/* Stack and texts are in place, and errno is kept. */
static int fill_area(struct attach_working *w)
{
	struct remote *r = &w->remote;
	struct area_head head = {
		.magic = AREA_MAGIC, .in_use = (uint64_t)r->tid, .anew_ns = w->anew_ns};
	struct scp_attach_order *order = (struct scp_attach_order *)w->text;
	bool fine = remote_write(r, w->head, &head, sizeof(head));

	r->errno_at = find_errno(r, w->errno_location);
	if (r->errno_at && !remote_read(r, r->errno_at, &r->errno_was, sizeof(r->errno_was)))
		r->errno_at = 0;
	if (order) {
		order->area = w->area;
		order->area_bytes = AREA_BYTES;
		order->hold_ms = SCP_ATTACH_HOLD_MS;
		fine = fine &&
		       remote_write(r, w->head + AREA_LIBRARY, w->order->library,
				    strlen(w->order->library) + 1) &&
		       remote_write(r, w->head + AREA_ORDER, w->text, w->text_bytes);
	}
	if (!fine)
		return attach_state_say(w, "its memory cannot be written");
	if (remote_ground_again(r, w->head, w->head + offsetof(struct area_head, futex), w->err) ==
	    REMOTE_FINE)
		return 0;
	return w->err->text[0] ? -1 : attach_state_say(w, "its memory cannot be written");
}

/* The result of a function; 1: it cannot be had. */
static int call_for(struct attach_working *w, uint64_t function, const uint64_t arguments[2],
		    uint64_t *result)
{
	uint64_t at = w->head + offsetof(struct area_head, result);

	*result = 0;
	if (!w->remote.code.keep)
		return remote_call(&w->remote, function, arguments, 0, w->err) ? -1 : 1;
	if (remote_call(&w->remote, function, arguments, at, w->err) != 0)
		return -1;
	return remote_read(&w->remote, at, result, sizeof(*result)) ? 0 : 1;
}

/* What dlopen said, printable. */
static int tell_dlerror(struct attach_working *w)
{
	const uint64_t none[2] = {0};
	uint64_t at = 0;
	char text[256] = "";

	if (!w->dlerror || call_for(w, w->dlerror, none, &at) != 0 || !at)
		return attach_state_say(w, "its dynamic linker did not load libscprof.so");
	for (size_t i = 0; i + 1 < sizeof(text); i++) {
		if (!remote_read(&w->remote, at + i, text + i, 1) || !text[i])
			break;
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
	}
	text[sizeof(text) - 1] = '\0';
	return error_set(w->err, "process %d: its dynamic linker did not load libscprof.so: %s",
			 (int)w->remote.target.pid, text);
}

/* Before glibc 2.34 the library's own look-ups, and the loader's lock around them, are to be had by
 * libdl.so.2 alone, which a program may go without: it comes first, and stays. */
static int load_dl(struct attach_working *w)
{
	static const char name[] = "libdl.so.2";
	const uint64_t arguments[2] = {w->head + AREA_LIBRARY, 0x102 /* RTLD_NOW, RTLD_GLOBAL */};
	const char *library = w->order->library;
	uint64_t handle;

	if (w->has_dlsym)
		return 0;
	if (!remote_write(&w->remote, arguments[0], name, sizeof(name)))
		return attach_state_say(w, "its memory cannot be written");
	int status = call_for(w, w->dlopen, arguments, &handle);

	if (status < 0)
		return -1;
	if (status == 0 && !handle)
		return attach_state_say(w, "its dynamic linker did not load libdl.so.2");
	return remote_write(&w->remote, arguments[0], library, strlen(library) + 1)
		       ? 0
		       : attach_state_say(w, "its memory cannot be written");
}

/* Also where it is mapped: somebody else may be loading it at this moment. */
static int load(struct attach_working *w)
{
	const uint64_t arguments[2] = {w->head + AREA_LIBRARY, 2 /* RTLD_NOW, local */};
	struct scp_attach_state s;
	uint64_t handle;
	int status = load_dl(w) != 0 ? -1 : call_for(w, w->dlopen, arguments, &handle);

	if (status < 0)
		return -1;
	if (status == 0 && !handle)
		return tell_dlerror(w);
	if (!w->library.state) {
		if (!proc_maps_list(&w->maps, w->remote.target.pid, w->name))
			return attach_state_say(w, "its memory map cannot be read");
		if (!w->maps.library)
			return tell_dlerror(w);
	}
	return attach_state_read(w, &s) != 0 ? -1 : attach_state_check(w, &s);
}

/* begin or end. It asks for the loader's lock itself, however late we are. */
static int give_order(struct attach_working *w, uint64_t function, uint64_t argument)
{
	const uint64_t arguments[2] = {argument};
	struct scp_attach_state s;

	remote_write(&w->remote, w->library.state + offsetof(struct scp_attach_state, loader_lock),
		     &w->remote.code.lock, sizeof(w->remote.code.lock));
	if (remote_call_held(&w->remote, function, arguments, w->library.state, w->err) != 0)
		return -1;
	w->remote.lock_taken = attach_state_read(w, &s) == 0 && s.problem == SCP_ATTACH_LOADER_BUSY;
	return 0;
}

static int make_calls(struct attach_working *w)
{
	if (fill_area(w) != 0)
		return -1;
	if (!w->order)
		return give_order(w, w->library.end, SCP_ATTACH_HOLD_MS);
	if (!w->complete && load(w) != 0)
		return -1;
	w->kept = true;
	return give_order(w, w->library.begin, w->head + AREA_ORDER);
}

/* An area that the library does not know of is of no use to the next one. The first frame still
 * lies on the thread's own stack. */
static void drop_area(struct attach_working *w)
{
	const uint64_t area[6] = {w->area, AREA_BYTES};
	struct profile_error ignored;
	int64_t result;

	remote_restore_errno(&w->remote);
	w->remote.traces.ground = w->first_ground;
	remote_syscall(&w->remote, SYS_munmap, area, &result, &ignored);
	w->area = w->head = w->remote.traces.area = 0;
}

int attach_calls_make(struct attach_working *w, uint64_t room)
{
	const uint64_t unused = 0;
	const pid_t tid = w->remote.tid;
	struct profile_error ignored;
	bool made = !w->area;
	int status = made ? make_area(w, room) : 0;

	w->first_ground = w->remote.traces.ground;
	if (status == 0)
		status = make_calls(w);
	if (made && w->head && !w->kept && w->remote.tid)
		drop_area(w);
	if (!w->remote.tid && status != 0)
		return -1;
	if (w->remote.tid && remote_restore(&w->remote, status ? &ignored : w->err) != 0)
		return -1;
	if (!w->head)
		return status;
	struct area_wait wait = attach_borrow_wait(w, tid);
	remote_write(&w->remote, w->head + offsetof(struct area_head, wait), &wait, sizeof(wait));
	remote_write(&w->remote, w->head + offsetof(struct area_head, in_use), &unused,
		     sizeof(unused));
	return status;
}
