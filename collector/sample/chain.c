// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the kernel lets us, it copies the frames of a Python thread at the sample's instant: a BPF
 * program on each event follows them from the thread's state, and puts them into the ring before
 * the sample. Nobody has to be woken up for a sample then. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/python/interpreter.h"
#include "collector/sample/sample_private.h"

#define THREADS	      4096u
#define INITIAL	      0xeffffffcu /* the pid namespace whose numbers BPF programs see */
#define BYTES	      16	  /* where those of a chain's first frame are */
#define MOST_PREVIOUS 127
#define NEXT	      (-24) /* on the program's stack: a frame's address */
#define CONTEXT	      (-32)

/* Of a thread, by the numbers of its process (above) and its own. */
struct watched {
	uint64_t first;	   /* where the address of the innermost frame is, or of its _PyCFrame */
	int64_t cframe;	   /* where it is in that; -1: there is none */
	uint64_t previous; /* in a frame */
};

#define OP(code_, dst, src, off_, imm_)                                                            \
	{                                                                                          \
		.code = (code_), .dst_reg = (dst), .src_reg = (src), .off = (off_), .imm = (imm_)  \
	}
#define MOVE(dst, src)	      OP(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, imm)	      OP(BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define WITH(op, dst, imm)    OP(BPF_ALU64 | BPF_##op | BPF_K, dst, 0, 0, imm)
#define PLUS(dst, src)	      OP(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define LOAD(dst, src, off)   OP(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src)  OP(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define IF(op, dst, imm, off) OP(BPF_JMP | BPF_##op | BPF_K, dst, 0, off, imm)
#define WATCHED(dst, field)   LOAD(dst, 7, offsetof(struct watched, field))
#define CALL(helper)	      OP(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define MAP(dst, fd)	      OP(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd), OP(0, 0, 0, 0, 0)
/* In a map, by a key on the stack. */
#define FIND(fd, key) MAP(1, fd), MOVE(2, 10), WITH(ADD, 2, key), CALL(map_lookup_elem)
/* The word at r3 into NEXT; 0: there is none. */
#define READ_NEXT MOVE(1, 10), WITH(ADD, 1, NEXT), SET(2, 8), CALL(probe_read_user)

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(uint32_t type, uint32_t key, size_t value, uint32_t most)
{
	return bpf(BPF_MAP_CREATE, &(union bpf_attr){.map_type = type,
						     .key_size = key,
						     .value_size = (uint32_t)value,
						     .max_entries = most});
}

/* It keeps what is watched in r7, the interpreter_chain in r8, and the number of frames in r9. What
 * cannot be read is zero. Jumps count instructions, of which FIND has five, MAP two, and READ_NEXT
 * four. */
static int load(int threads, int scratch, int outputs)
{
	const int step = sizeof(struct interpreter_chained);
	const struct bpf_insn code[] = {
		/* is the thread watched? */
		STORE(10, CONTEXT, 1), CALL(get_current_pid_tgid), STORE(10, -8, 0),
		FIND(threads, -8), IF(JEQ, 0, 0, 51), MOVE(7, 0),
		OP(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, 0), FIND(scratch, -16), IF(JEQ, 0, 0, 43),
		MOVE(8, 0),
		/* its innermost frame */
		WATCHED(3, first), READ_NEXT, WATCHED(3, cframe), IF(JSLT, 3, 0, 6),
		LOAD(1, 10, NEXT), PLUS(3, 1), READ_NEXT, SET(9, 0),
		/* each frame */
		LOAD(3, 10, NEXT), IF(JEQ, 3, 0, 16), IF(JGE, 9, INTERPRETER_CHAIN, 15), MOVE(6, 9),
		WITH(MUL, 6, step), PLUS(6, 8), STORE(6, 8, 3), MOVE(1, 6), WITH(ADD, 1, BYTES),
		SET(2, INTERPRETER_FRAME), CALL(probe_read_user), WATCHED(1, previous),
		WITH(AND, 1, MOST_PREVIOUS), PLUS(6, 1), LOAD(1, 6, BYTES), STORE(10, NEXT, 1),
		WITH(ADD, 9, 1), OP(BPF_JMP | BPF_JA, 0, 0, -18, 0),
		/* put them out; the sample follows in any case */
		STORE(8, 0, 9), MOVE(5, 9), WITH(MUL, 5, step), WITH(ADD, 5, 8),
		LOAD(1, 10, CONTEXT), MAP(2, outputs), SET(3, -1), MOVE(4, 8),
		CALL(perf_event_output), SET(0, 1), OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)};

	return bpf(BPF_PROG_LOAD, &(union bpf_attr){.prog_type = BPF_PROG_TYPE_PERF_EVENT,
						    .insns = (uintptr_t)code,
						    .insn_cnt = sizeof(code) / sizeof(*code),
						    .license = (uintptr_t) "GPL"});
}

/* What the program puts out comes to the ring of its CPU, and wakes up nobody. */
static bool open_outputs(const struct sample_events *e, int outputs)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .sample_type =
					       PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC_RAW};
	uint32_t at = 0;
	bool fine = true;

	for (int cpu = 0; fine && at < e->rings; cpu++) {
		int fd =
			(int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		union bpf_attr put = {.map_fd = (uint32_t)outputs,
				      .key = (uintptr_t)&cpu,
				      .value = (uintptr_t)&fd};

		if (fd < 0 && errno == ENODEV) /* it is off */
			continue;
		fine = fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->ring[at++].fd) &&
		       !bpf(BPF_MAP_UPDATE_ELEM, &put);
		if (fd >= 0) /* the map keeps it */
			close(fd);
	}
	return fine;
}

static bool begin(struct sample_events *e)
{
	struct stat own;

	if (stat("/proc/self/ns/pid", &own) || own.st_ino != INITIAL)
		return false;
	int scratch = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4,
			       sizeof(struct interpreter_chain) + MOST_PREVIOUS, 1);

	e->chains.threads = make_map(BPF_MAP_TYPE_LRU_HASH, 8, sizeof(struct watched), THREADS);
	e->chains.outputs = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4,
				     (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	int program = load(e->chains.threads, scratch, e->chains.outputs);
	bool fine = program >= 0 && open_outputs(e, e->chains.outputs);

	for (uint32_t i = 0; fine && i < e->events; i++)
		fine = !ioctl(e->event[i].fd, PERF_EVENT_IOC_SET_BPF, program);
	close(scratch);
	close(program);
	return fine;
}

void chain_watch(struct sample_events *e, pid_t pid, pid_t tid, uint64_t state,
		 const struct python_layout *l)
{
	uint64_t key = (uint64_t)pid << 32 | (uint32_t)tid;
	struct watched w = {state + l->state_frame, l->has_cframe ? l->cframe_frame : -1,
			    l->frame_previous};

	if (!e->chains.tried) {
		e->chains.threads = e->chains.outputs = -1;
		e->chains.fail = !begin(e);
		e->chains.tried = true;
	}
	bpf(BPF_MAP_UPDATE_ELEM, &(union bpf_attr){.map_fd = (uint32_t)e->chains.threads,
						   .key = (uintptr_t)&key,
						   .value = (uintptr_t)&w});
}

/* A chain has its size where a sample has 0, 1 or 2. It counts for the next record only: where one
 * was lost, the kernel says so before the next one. */
bool chain_keep(struct sample_events *e, struct sample_ring *r, const struct perf_event_header *h)
{
	const size_t at = 28, head = sizeof(r->chain->frames);
	uint32_t tid = 0, size = 0;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= at + head) {
		tid = half_at(h, 12);
		size = half_at(h, at - sizeof(size));
	}
	e->chain = tid && (pid_t)tid == r->chain_tid ? r->chain : NULL;
	r->chain_tid = 0;
	if (size < head || size > h->size - at)
		return false;
	r->chain = r->chain ? r->chain : calloc(1, sizeof(*r->chain));
	size = size < sizeof(*r->chain) ? size : sizeof(*r->chain); /* it ends in padding */
	if (r->chain) {
		memcpy(r->chain, (const uint8_t *)h + at, size);
		if (r->chain->frames <= (size - head) / sizeof(r->chain->frame[0]))
			r->chain_tid = (pid_t)tid;
	}
	return true;
}
