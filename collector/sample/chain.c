// SPDX-License-Identifier: GPL-3.0-or-later
/* Where the kernel lets us, it copies the frames of a Python thread at the sample's instant: a BPF
 * program on each event follows them from the thread's state, in the thread's own memory, and puts
 * them into the ring before the sample. Then nobody has to be woken for each sample. */
#include "collector/python/interpreter.h"
#include "collector/sample/sample_private.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS	      4096u
#define MOST_PREVIOUS 127 /* of struct watched; what is copied may be shorter */
#define BYTES	      16  /* of the first frame in an interpreter_chain */
#define CONTEXT	      (-32) /* on the program's stack, as is the frame that comes next */
#define AT	      (-24)
#define WATCHED(of) ((int16_t)offsetof(struct watched, of))

/* Of a thread, by the numbers of its process (above) and its own. */
struct watched {
	uint64_t first;	   /* where the address of the innermost frame is, or that of its _PyCFrame */
	uint64_t cframe;   /* where it is in that, and 1; 0: there is none */
	uint64_t previous; /* in a frame */
	uint64_t most;	   /* frames */
};

#define OP(code_, dst, src, off_, imm_)                                                            \
	{.code = (code_), .dst_reg = (dst), .src_reg = (src), .off = (int16_t)(off_), .imm = (imm_)}
#define MOVE(dst, src)	      OP(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define SET(dst, imm)	      OP(BPF_ALU | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD(dst, imm)	      OP(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define ADD_REG(dst, src)     OP(BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0)
#define TIMES(dst, imm)	      OP(BPF_ALU64 | BPF_MUL | BPF_K, dst, 0, 0, imm)
#define LOAD(dst, src, off)   OP(BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define STORE(dst, off, src)  OP(BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0)
#define CALL(helper)	      OP(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_##helper)
#define GO(off)		      OP(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define IF(op, dst, imm, off) OP(BPF_JMP | BPF_##op | BPF_K, dst, 0, off, imm)
#define MAP(dst, fd)	      OP(BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd), OP(0, 0, 0, 0, 0)
/* Eight bytes at the address in r3 to the program's stack. */
#define READ_WORD MOVE(1, 10), ADD(1, AT), SET(2, 8), CALL(probe_read_user)

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

static int make_map(uint32_t type, uint32_t key, uint32_t value, uint32_t most)
{
	return bpf(BPF_MAP_CREATE, &(union bpf_attr){.map_type = type,
						     .key_size = key,
						     .value_size = value,
						     .max_entries = most});
}

/* Fills a sample's interpreter_chain and puts it out; the sample follows in any case. Numbers of
 * jumps count instructions, of which READ_WORD has four and MAP two. */
static int load(int threads, int scratch, int outputs)
{
	const int step = (int)sizeof(struct interpreter_chained);
	const struct bpf_insn code[] = {
		STORE(10, CONTEXT, 1),
		CALL(get_current_pid_tgid),
		STORE(10, -8, 0),
		MAP(1, threads),
		MOVE(2, 10),
		ADD(2, -8),
		CALL(map_lookup_elem),
		IF(JEQ, 0, 0, 57), /* to the end */
		MOVE(7, 0),
		OP(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -16, 0),
		MAP(1, scratch),
		MOVE(2, 10),
		ADD(2, -16),
		CALL(map_lookup_elem),
		IF(JEQ, 0, 0, 49), /* to the end */
		MOVE(8, 0),
		LOAD(3, 7, WATCHED(first)),
		READ_WORD,
		IF(JNE, 0, 0, 42), /* to the end */
		LOAD(3, 7, WATCHED(cframe)),
		IF(JEQ, 3, 0, 8), /* there is none */
		LOAD(1, 10, AT),
		ADD_REG(3, 1),
		ADD(3, -1),
		READ_WORD,
		IF(JNE, 0, 0, 32), /* to the end */
		SET(9, 0),
		LOAD(3, 10, AT), /* each frame */
		IF(JEQ, 3, 0, 19),
		LOAD(1, 7, WATCHED(most)),
		OP(BPF_JMP | BPF_JGE | BPF_X, 9, 1, 17, 0),
		IF(JGE, 9, INTERPRETER_CHAIN, 16),
		MOVE(6, 9),
		TIMES(6, step),
		ADD_REG(6, 8),
		STORE(6, 8, 3),
		MOVE(1, 6),
		ADD(1, BYTES),
		SET(2, INTERPRETER_FRAME),
		CALL(probe_read_user),
		IF(JNE, 0, 0, 7), /* to what is put out */
		LOAD(1, 7, WATCHED(previous)),
		OP(BPF_ALU64 | BPF_AND | BPF_K, 1, 0, 0, MOST_PREVIOUS),
		ADD_REG(6, 1),
		LOAD(1, 6, BYTES),
		STORE(10, AT, 1),
		ADD(9, 1),
		GO(-21), /* to the next frame */
		STORE(8, 0, 9),
		MOVE(5, 9),
		TIMES(5, step),
		ADD(5, 8),
		LOAD(1, 10, CONTEXT),
		MAP(2, outputs),
		SET(3, -1), /* BPF_F_CURRENT_CPU */
		MOVE(4, 8),
		CALL(perf_event_output),
		SET(0, 1),
		OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf(BPF_PROG_LOAD, &(union bpf_attr){.prog_type = BPF_PROG_TYPE_PERF_EVENT,
						    .insns = (uintptr_t)code,
						    .insn_cnt = sizeof(code) / sizeof(*code),
						    .license = (uintptr_t) "GPL"});
}

/* What the program puts out comes to the ring of its CPU, and wakes up nobody. */
static bool open_outputs(struct sample_events *e, int outputs)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_BPF_OUTPUT,
				       .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						      PERF_SAMPLE_RAW,
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC_RAW};
	const int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	uint32_t at = 0;

	for (int cpu = 0; cpu < cpus && at < e->rings; cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		union bpf_attr put = {.map_fd = (uint32_t)outputs,
				      .key = (uintptr_t)&cpu,
				      .value = (uintptr_t)&fd};

		if (fd < 0 && errno == ENODEV) /* it is off */
			continue;
		bool fine = fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->ring[at].fd) &&
			    !bpf(BPF_MAP_UPDATE_ELEM, &put);

		if (fd >= 0) /* the map keeps it */
			close(fd);
		if (!fine)
			return false;
		at++;
	}
	return at == e->rings;
}

static bool attach(struct sample_events *e, int program)
{
	bool fine = program >= 0;

	for (uint32_t i = 0; fine && i < e->events; i++)
		fine = !ioctl(e->event[i].fd, PERF_EVENT_IOC_SET_BPF, program);
	return fine;
}

static bool begin(struct sample_events *e)
{
	e->chains.tried = true;
	e->chains.threads = make_map(BPF_MAP_TYPE_LRU_HASH, 8, sizeof(struct watched), THREADS);
	e->chains.outputs = make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4,
				     (uint32_t)sysconf(_SC_NPROCESSORS_CONF));
	int scratch = make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4,
			       sizeof(struct interpreter_chain) + MOST_PREVIOUS, 1);
	int program = load(e->chains.threads, scratch, e->chains.outputs);
	bool fine = open_outputs(e, e->chains.outputs) && attach(e, program);

	if (scratch >= 0)
		close(scratch);
	if (program >= 0)
		close(program);
	return fine;
}

static void change(const struct sample_events *e, enum bpf_cmd how, uint64_t key,
		   const struct watched *w)
{
	if (e->chains.threads >= 0)
		bpf(how, &(union bpf_attr){.map_fd = (uint32_t)e->chains.threads,
					   .key = (uintptr_t)&key,
					   .value = (uintptr_t)w});
}

void chain_watch(struct sample_events *e, pid_t pid, pid_t tid, uint64_t state,
		 const struct python_layout *l)
{
	struct watched w = {state + l->state_frame, l->has_cframe ? l->cframe_frame + 1u : 0,
			    l->frame_previous, l->code_bytecode ? INTERPRETER_CHAIN : 1};

	if (!e->chains.tried && !begin(e))
		chain_close(e);
	change(e, BPF_MAP_UPDATE_ELEM, (uint64_t)pid << 32 | (uint32_t)tid, &w);
}

void chain_forget(struct sample_events *e, pid_t pid, pid_t tid)
{
	if (e->chains.tried)
		change(e, BPF_MAP_DELETE_ELEM, (uint64_t)pid << 32 | (uint32_t)tid, NULL);
}

/* A chain has its size where a sample has 0, 1 or 2. It counts for the next record only: where
 * one was lost, the kernel says so before the next one. */
bool chain_keep(struct sample_events *e, struct sample_ring *r,
		       const struct perf_event_header *h)
{
	const size_t at = 28, head = sizeof(r->chain->frames);
	uint32_t tid = 0, size = 0;

	if (h->type == PERF_RECORD_SAMPLE && h->size >= at + head) {
		memcpy(&tid, (const uint8_t *)h + 12, sizeof(tid));
		memcpy(&size, (const uint8_t *)h + at - sizeof(size), sizeof(size));
	}
	e->chain = tid && (pid_t)tid == r->chain_tid ? r->chain : NULL;
	r->chain_tid = 0;
	r->chain = r->chain ? r->chain : malloc(sizeof(*r->chain));
	if (size < head || size > h->size - at || !r->chain)
		return false;
	size = size < sizeof(*r->chain) ? size : sizeof(*r->chain);
	memcpy(r->chain, (const uint8_t *)h + at, size);
	if (r->chain->frames <= (size - head) / sizeof(r->chain->frame[0]))
		r->chain_tid = (pid_t)tid;
	return true;
}

void chain_close(struct sample_events *e)
{
	if (e->chains.tried && e->chains.threads >= 0)
		close(e->chains.threads);
	if (e->chains.tried && e->chains.outputs >= 0)
		close(e->chains.outputs);
	e->chains.threads = e->chains.outputs = -1;
}
