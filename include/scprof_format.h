// SPDX-License-Identifier: Apache-2.0
/* The byte-level contract of a profile file (".scp").
 *
 * libscprof.so writes it from inside the target through a shared mapping, so that a killed process
 * loses nothing that had finished; everything else only reads it, live or later. All integers are
 * little-endian and naturally
 * aligned; there is no floating point and no pointer.
 *
 * Layout:   header | region | region | ...
 * A region is a piece of the file that was added at one time. It is
 * cut into chunks, whose starts are multiples of SCP_GRANULE; a granule
 * without a chunk magic is skipped (the writer died before it could say what the chunk is). A chunk
 * holds records up to its `used`, which the writer raises only after the record is complete.
 * Records start at multiples of SCP_RECORD_ALIGN from the start of the chunk.
 *
 * Growth: what a reader may do without comes in optional chunks, of one granule each and with a
 * magic of their own. A reader that does not know their type (or, older than they are, their magic)
 * skips the granule; the rest of the file means what it meant. New fields go to the end of the
 * header, where older files hold zeros.
 *
 * Glossary. `unit`: what a clock counts in (a TSC cycle, a nanosecond, a tick of the page clock).
 * `tick`: one advance of the clock (resolution_units
 * units). An instant is a clock reading; a duration is a difference of two. Fields called *_units
 * are durations, *_at are instants.
 *
 * Consistency: one thread writes a table. It makes `seq` of an entry or a gap odd while it changes
 * it (but for a count, or an instant, alone). A reader of a live file copies, and copies again if
 * seq was odd or moved; in the file of a dead process an odd seq means that the process was killed
 * inside one
 * update: the sums may differ by that one call, which had not returned. */
#ifndef SCPROF_FORMAT_H
#define SCPROF_FORMAT_H

#include <stdint.h>

#define SCP_MAGIC	  "SCPROF1\n"
#define SCP_VERSION	  3u
#define SCP_BYTE_ORDER	  0x01020304u
#define SCP_HEADER_BYTES  8192u
#define SCP_GRANULE	  4096u
#define SCP_RECORD_ALIGN  64u
#define SCP_MAX_REGIONS	  48u
#define SCP_MAX_FRAMES	  192u
#define SCP_BATCHES	  64u
#define SCP_HIST_BUCKETS  64u /* buckets in one histogram block */
#define SCP_HIST_BLOCKS	  8u  /* blocks an entry can have */
#define SCP_BUILD_ID_MAX  32u
#define SCP_PHASE_BINS	  32u
#define SCP_FILTERS_BYTES 1024u
#define SCP_BELOW_MOST	  768u /* bytes of the patterns of --below, with a NUL */
#define SCP_BEFORE_BYTES  256u

enum scp_clock_kind {
	SCP_CLOCK_NONE = 0,
	SCP_CLOCK_TSC = 1,	  /* unit: cycle of the counter, see the anchors */
	SCP_CLOCK_COARSE = 2,	  /* unit: ns; advances every resolution_units */
	SCP_CLOCK_MONOTONIC = 3,  /* unit: ns */
	SCP_CLOCK_PAGE = 4,	  /* unit: one tick of the collector's ticker */
	SCP_CLOCK_THREAD_CPU = 5, /* unit: ns of CPU time of the thread */
	SCP_CLOCK_DUAL = 6	  /* as a request only: fast TSC and a slow clock */
};

/* A clock reading and CLOCK_MONOTONIC_RAW, taken together. The rate of a clock
 * is (last.clock - first.clock) / (last.mono_ns - first.mono_ns): measured in
 * the run itself, never guessed. `width_ns` is the uncertainty of the pairing. */
struct scp_anchor {
	uint64_t clock_at;
	uint64_t mono_ns;
	uint64_t width_ns;
};

#define SCP_CLOCK_RANDOMIZED 1u /* tick lengths vary around their mean */
#define SCP_CLOCK_FALLBACK   2u /* another clock was asked for; see requested */

struct scp_clock {
	uint32_t kind;		   /* enum scp_clock_kind, never DUAL */
	uint32_t flags;		   /* SCP_CLOCK_* */
	uint64_t resolution_units; /* one tick in units: 1, or 4000000 for a 4 ms coarse clock */
	uint64_t unit_ps; /* nominal length of a unit, picoseconds; 0 = only the anchors know */
	uint64_t read_ps; /* measured cost of one reading, picoseconds */
	struct scp_anchor first, last;
};

/* What one wrapped call costs, measured in the target by timing an empty function through the same
 * code. `inside` lies between the two readings of a call and is therefore part of every duration of
 * this clock (the call of the empty function belongs to it); `outside` is the rest that the program
 * pays for the wrapper. Medians over short rounds, picoseconds, each with its standard error. */
struct scp_cost {
	uint64_t inside_ps, inside_error_ps;
	uint64_t outside_ps, outside_error_ps; /* 0, 0 for the slow clock: counted once */
};

/* Both depend on how many frames a path has: the processor overlaps their comparison
 * with the reading of the counter. */
#define SCP_COST_SHORT	      0u
#define SCP_COST_LONG	      1u
#define SCP_COST_SHORT_FRAMES 17u /* measured with so many, */
#define SCP_COST_LONG_FRAMES  49u /* and with so many */

/* The way that an entry's calls go through the library: each costs something else. Nested: inside
 * another recorded interval. */
enum scp_way {
	SCP_WAY_SYSTEM = 0,   /* a wrapper of a function of libc: a system call */
	SCP_WAY_ORDERED = 1,  /* a wrapper of another library's; here and below the processor
				 finishes  what precedes each reading of the clock */
	SCP_WAY_SELECTED = 2, /* a selected function */
	SCP_WAY_REGION = 3,   /* a region, or a function of -finstrument-functions */
	SCP_WAY_NESTED = 4,   /* to be added */
	SCP_WAYS = 8
};

/* What each costs, on paths of SCP_COST_SHORT_FRAMES, as scp_cost; inside_ps = 0: not measured, or
 * an older file, where scp_overhead holds for all. */
struct scp_way_cost {
	uint32_t inside_ps, inside_error_ps;
	uint32_t outside_ps, outside_error_ps;
};
struct scp_way_costs {
	struct scp_way_cost way[SCP_WAYS];
};

/* rounds = 0: not measured. A process forked without exec repeats the first measurement
 * of its parent. In a merged file overhead_first stands for all: means weighted by the
 * processes' calls; errors that hold what the measurements differ by. */
struct scp_overhead {
	uint64_t rounds;
	uint64_t measurements; /* merged files: how many it stands for; else 0 */
	struct scp_cost cost[2];
};
#define SCP_COST_MAX_PS UINT64_C(1000000000000) /* 1 s: what is more is damage */

/* What a recorded call inside another interval adds to that one: all that its wrapper does,
 * the readings of the clock too. Picoseconds, with a standard error; 0, 0: not measured. */
struct scp_inner_cost {
	uint64_t total_ps, error_ps;
};

struct scp_region {
	uint64_t offset; /* in the file; a multiple of SCP_GRANULE */
	uint64_t bytes;
	uint64_t used; /* handed out as chunks */
};

/* header.flags */
#define SCP_FILE_DUAL		1u  /* slow_clock is in use, SLOW records exist */
#define SCP_FILE_HISTOGRAMS	2u  /* the clock is fast: HIST records exist */
#define SCP_FILE_MERGED		4u  /* written by `scprof merge` or `scprof run` */
#define SCP_FILE_NO_SYMBOLS	8u  /* SCPROF_SYMBOLS was set, but no stub object was preloaded */
#define SCP_FILE_WINDOWS	16u /* recording could stop and start: recorded_ns counts */
#define SCP_FILE_FILTERS_DIFFER 32u /* merged: not all files had the same filters */
#define SCP_FILE_SAMPLES	64u /* merged: samples alone, of processes with files of their own */
#define SCP_FILE_LENGTHS	128u /* struct scp_off_cpu, `known` */

/* header.end_state */
enum scp_end_state {
	SCP_END_RUNNING = 0, /* still running, or killed */
	SCP_END_EXIT = 1,    /* exit handlers ran */
	SCP_END_EXEC = 2,    /* replaced by another program */
	SCP_END_QUICK = 3,   /* _exit, quick_exit */
	SCP_END_ABORT = 4,   /* abort */
	SCP_END_DETACHED = 5 /* the process went on, unrecorded */
};

/* What could not be recorded. Every counter may be raised by several threads. */
struct scp_losses {
	uint64_t skipped_calls;	  /* made from a handler that interrupted our bookkeeping, before or
				     after our life, or by forked children on their way to exec */
	uint64_t abandoned_calls; /* left by longjmp, an exception, cancellation or thread end:
				     never returned */
	uint64_t overflow_calls;  /* counted in FUNCTION records only: the file could not grow */
	uint64_t overflow_gaps;
	uint64_t overflow_gap_units;
	uint64_t overflow_nested_units;
	uint64_t unclassified_calls; /* descriptor of unknown kind in a sandbox: not recorded */
	uint64_t growth_failures;
	uint32_t growth_errno; /* of the last failure */
	uint32_t sandboxed;    /* the program installed a seccomp filter: no system call since */
	uint64_t cut_paths;    /* unwinds that ended at a frame without unwind information */
	uint64_t unwinds;      /* slow unwinds, for the overhead estimate */
	uint64_t memo_flushes; /* memo memory was full and started afresh */
	uint64_t histogram_losses;    /* blocks of entries that found no room: HIST, BATCH, ... */
	uint64_t modules_lost;	      /* modules beyond the 16-bit index */
	uint64_t overflow_time_units; /* lifetimes of threads without a table, so that calls + gaps
					 = time still holds */
	uint64_t stopped; /* processes that stopped recording: the program forbade the clock (prctl
			     PR_SET_TSC, seccomp's strict mode) */
	uint64_t unmatched_ends; /* ends of regions that were not begun, or not here */
};

/* How the library learns that a thread lost its CPU: see docs/internals.md, "Switches". */
enum scp_switch_detector {
	SCP_SWITCH_NONE = 0,	/* states are not recorded: older files, --states off */
	SCP_SWITCH_SAMPLED = 1, /* not at all: calls chosen at random are asked */
	SCP_SWITCH_RSEQ = 2,	/* the rseq_cs field of the thread's rseq area */
	SCP_SWITCH_PERF = 3	/* the lock word of a perf event's page */
};

/* scp_switches.flags: why no better detector is used, and what the numbers lack. */
#define SCP_SWITCH_OFF	    1u	/* asked for: --states off */
#define SCP_SWITCH_EXACT    2u	/* asked for: every switched call is read */
#define SCP_SWITCH_NO_LIBC  4u	/* libc registers no rseq area: older than glibc 2.35, or another */
#define SCP_SWITCH_DISABLED 8u	/* libc could, and did not: a tunable, or the kernel */
#define SCP_SWITCH_NO_PERF  16u /* perf events may not be opened */
#define SCP_SWITCH_MISSED   32u /* a detector missed a switch, and was given up */
#define SCP_SWITCH_SANDBOX  64u /* the program forbade system calls: no more readings */
#define SCP_SWITCH_NO_DELAY                                                                        \
	128u			  /* the run delay is unknown (no /proc): time spent waiting for a \
				     CPU after a wake-up counts as asleep */
#define SCP_SWITCH_CPU_CLOCK 256u /* the clock counts CPU time: it has no states */
#define SCP_SWITCH_SHARED    512u /* the program uses rseq itself: some of its calls look switched */
#define SCP_SWITCH_MIXED     1024u /* merged of files with different detectors */

/* What the detector did in all threads. A segment is a thread's time between two readings. */
struct scp_switches {
	uint32_t detector;  /* enum scp_switch_detector, at the end */
	uint32_t flags;	    /* SCP_SWITCH_* */
	uint64_t verified;  /* segments that getrusage was asked about */
	uint64_t missed;    /* of them: switched, and the detector did not see it */
	uint64_t unfounded; /* not switched, and the detector said so: signals, migrations, the
			      program's own rseq */
	uint64_t readings, reading_ns; /* and what they cost */
};

/* What the kernel charged to a process (getrusage), and what it read and wrote (/proc/PID/io). */
#define SCP_USAGE_CPU 1u /* cpu_ns and the switches are known */
#define SCP_USAGE_IO  2u /* reads and writes are known */
/* Between two readings of a process that runs, at least. */
#define SCP_USAGE_EVERY_NS 500000000u
struct scp_usage {
	uint64_t known;	  /* SCP_USAGE_*; 0: older file */
	uint64_t mono_ns; /* when; merged: 0 */
	uint64_t cpu_ns;
	uint64_t voluntary, involuntary; /* switches */
	uint64_t reads, writes;		 /* system calls */
};

/* What the host stole of the machine's CPUs since it was started, and how long they were not idle,
 * stolen time with it (/proc/stat, which counts in steps of 10 ms). */
struct scp_steal {
	uint64_t known; /* SCP_STEAL_KNOWN; another number: not read, or an older file */
	uint64_t mono_ns;
	uint64_t stolen_ns, busy_ns;
};
#define SCP_STEAL_KNOWN	  2u
#define SCP_STEAL_STEP_NS 10000000u

/* New call paths that libunwind walked, too (--verify-paths); and paths that frame pointers
 * completed. Every counter may be raised by several threads. */
struct scp_path_checks {
	uint32_t one_in;    /* one new path in so many was to be walked twice; 0: none */
	uint32_t unwinder;  /* 1: libunwind was there; 0: it was not, or not asked for */
	uint64_t verified;  /* new paths walked twice */
	uint64_t differ;    /* of verified: with another result; the first ones have PATH_DIFFERENCE
			       records */
	uint64_t undecided; /* libunwind could not walk: memory, a lock, an unknown table */
	uint64_t heuristic; /* paths with SCP_PATH_HEURISTIC */
	uint64_t reserved;
};
#define SCP_PATH_DIFFERENCES_MAX 16u

/* The slowest calls that were to be kept, see struct scp_slowest. */
#define SCP_SLOWEST_MAX	     1000u
#define SCP_SLOWEST_PATTERNS 1024u /* bytes of SCPROF_SLOWEST_OF, with the NUL */
#define SCP_SLOWEST_MIXED    1u	   /* merged of files that were asked for different things */
#define SCP_SLOWEST_UNREAD   2u /* SCPROF_SLOWEST and what goes with it made no sense: none kept */
#define SCP_SLOWEST_CHOSEN   4u /* of functions that patterns chose */
struct scp_slowest_asked {
	uint32_t count; /* of each table; in a merged file, of all; 0: none */
	uint32_t flags; /* SCP_SLOWEST_* */
	uint64_t least_ns;
	uint64_t lost; /* calls that found no room, on a small stack or in the file: the last of
			  its table then */
};

/* What the page clock's ticker cost. Merged: sums; the tick that was asked for is the first one. */
struct scp_ticker_cost {
	uint64_t cpu_ns;   /* CPU time of its thread */
	uint64_t most_ns;  /* all ticks, each as much as one takes from a thread on its CPU */
	uint64_t taken_ns; /* of that, by as many ticks as took the CPU from the processes: at most
			      those that fell into their CPU time, and their involuntary switches */
	uint64_t asked_ns; /* the tick that was asked for, where a longer one was used; 0: none */
};

/* The CPython interpreter that was met on call paths: its version 3.minor (7: 3.7 or older), and
 * whether its frames are read, or why not. */
enum scp_python_state {
	SCP_PYTHON_READ = 1,
	SCP_PYTHON_VERSION,	  /* a version that the library does not know */
	SCP_PYTHON_FREE_THREADED, /* built without the global interpreter lock */
	SCP_PYTHON_SYMBOLS,	  /* it exports too little to be read */
	SCP_PYTHON_LAYOUT,	  /* its memory is not laid out as that version's: a debug build */
	SCP_PYTHON_UNWATCHED	  /* where code objects die cannot be watched */
};
#define SCP_PYTHON(minor, state) ((uint32_t)(minor) << 8 | (uint32_t)(state))
#define SCP_PYTHON_MINOR(python) ((python) >> 8)
#define SCP_PYTHON_STATE(python) ((python)&255u)

struct scp_header {
	char magic[8];
	uint32_t version;
	uint32_t byte_order;
	uint32_t header_bytes;
	uint32_t flags;
	uint32_t end_state;
	uint32_t machine; /* ELF e_machine of the target */
	uint32_t pid, ppid;
	uint32_t uid, processes; /* processes: 1, or how many a merged file stands for */
	uint64_t start_real_ns;	 /* CLOCK_REALTIME when recording began */
	uint64_t start_mono_ns;	 /* CLOCK_MONOTONIC_RAW likewise */
	uint64_t end_mono_ns;	 /* last known instant; 0 = not known */
	uint64_t process_start;	 /* starttime of /proc/PID/stat, to tell a pid that was reused; 0 =
				    not known */
	uint8_t boot_id[16];
	uint32_t clock_requested; /* enum scp_clock_kind */
	uint32_t groups;	  /* bit mask of SCP_GROUP_* */
	struct scp_clock clock;
	struct scp_clock slow_clock;
	struct scp_losses losses;
	uint32_t region_count;
	uint32_t table_count;
	struct scp_region regions[SCP_MAX_REGIONS];
	/* the ticker's own lateness, ns, where a page clock was used (filled by the collector) */
	uint64_t ticker_ticks, ticker_late_sum_ns, ticker_late_max_ns, ticker_late_ticks;
	/* when recording began, and when it ended (not for a killed process) */
	struct scp_overhead overhead_first, overhead_last;
	struct scp_overhead slow_overhead_first, slow_overhead_last;
	uint32_t argv_bytes; /* NUL-separated, cut to what fits */
	uint32_t argc;
	char comm[16];
	char exe[1024]; /* NUL-terminated */
	char argv[2048];
	char unused_symbols[512];
	/* as overhead_first, overhead_last; one clock or two, an interval has all of it */
	struct scp_inner_cost inner_first, inner_last;
	/* What was left out on purpose: texts "below=...", "thread=...", "depth=...", "after=...",
	 * "for=...", "signal=...", "stopped=...", "until=...", and "ignored=VARIABLE" where a
	 * filter that was asked for is not in force; each ends in NUL. */
	char filters[SCP_FILTERS_BYTES];
	uint32_t filters_bytes;
	uint32_t windows;	 /* how often recording began (SCP_FILE_WINDOWS) */
	uint64_t recorded_ns;	 /* of start_mono_ns .. end_mono_ns; merged: of all processes... */
	uint64_t recorded_of_ns; /* merged: ...and so long did they live. Else 0 */
	uint64_t unused_below;
	struct scp_slowest_asked slowest;
	/* What the program was started as, NUL-terminated: the last part of the path that execve
	 * was given, of a script its own. "" in older files: the last part of exe. */
	char program[256];
	/* What stands before libscprof.so and defines functions that are recorded, and which:
	 * "libx.so (malloc, free)", NUL-terminated; merged: of the first file that has some. */
	char preceded[SCP_BEFORE_BYTES];
	struct scp_switches switches;
	/* When recording began, and the latest. Merged: usage_last is the sum of what the processes
	 * used meanwhile, of those of which it is known. */
	struct scp_usage usage_first, usage_last;
	uint32_t usage_cpu_of, usage_io_of; /* merged: how many those are */
	struct scp_path_checks path_checks;
	/* Calls of selected functions that were passed through: what may be arguments on the stack
	 * could not be copied. And the function of the first of them, NUL-terminated; merged: of
	 * the first file that has some. */
	uint64_t uncopied_calls;
	char uncopied_function[64];
	/* measured with overhead_first, ... */
	struct scp_way_costs ways_first, ways_last, slow_ways_first, slow_ways_last;
	struct scp_ticker_cost ticker_cost; /* filled by the collector, as ticker_ticks */
	uint64_t own_ns; /* CPU time that beginning to record, and measuring, took of the process */
	uint32_t python; /* SCP_PYTHON(minor version, enum scp_python_state); 0: none was met */
	uint32_t python_other; /* merged files: of another process, where that differs; else 0 */
	/* When recording began, and the latest. No more was stolen from the process than that.
	 * Merged: 0; tables have what the files allow. */
	struct scp_steal steal_first, steal_last;
	/* Readings of threads' switches under a page clock, and those of them in which the ticker's
	 * latest tick was made on the thread's CPU, or it is not known where. Merged: sums. */
	uint64_t ticker_readings, ticker_near;
};
#define SCP_FILTER_IGNORED "ignored="

#define SCP_GROUP_SOCKET    1u
#define SCP_GROUP_IO	    2u
#define SCP_GROUP_WAIT	    4u
#define SCP_GROUP_RESOLVE   8u
#define SCP_GROUP_ALL	    15u
#define SCP_GROUP_SELECTED  16u	 /* symbols of `scprof run -s` */
#define SCP_GROUP_REGION    256u /* regions and points of scprof.h; on unless groups are named */
#define SCP_GROUP_FUNCTIONS 512u /* of programs built with -finstrument-functions */

#define SCP_CHUNK_MAGIC 0x43504353u /* "SCPC" */
enum scp_chunk_type { SCP_CHUNK_PROCESS = 1, SCP_CHUNK_TABLE = 2 };

/* An optional chunk: SCP_GRANULE bytes, of a type that readers may not know. */
#define SCP_OPTIONAL_MAGIC 0x58504353u /* "SCPX" */
enum scp_optional_type {
	SCP_OPTIONAL_SLOWEST = 1, /* SLOWEST records of a table */
	SCP_OPTIONAL_ACCOUNT = 2, /* of no table (0): ACCOUNT records and what belongs to them */
	SCP_OPTIONAL_STATES = 3,  /* STATES, STATE_BATCHES, STATE_HIST, TABLE_STATES of a table */
	SCP_OPTIONAL_TAIL = 4,	  /* TAIL records of a table */
	SCP_OPTIONAL_CHECKS = 5,  /* of no table (0): PATH_DIFFERENCE records */
	SCP_OPTIONAL_ENDS = 6,	  /* of no table (0): END records */
	SCP_OPTIONAL_LOOK = 7,	  /* LOOK records of a table */
	SCP_OPTIONAL_ATTACH = 8,  /* of no table (0): ATTACH records */
	SCP_OPTIONAL_SOURCE = 9,  /* of no table (0): SOURCE_FUNCTION, SOURCE_LINE, GENERATED
				     records */
	SCP_OPTIONAL_SAMPLES = 10 /* of no table (0): SAMPLING and SAMPLE records */
};

struct scp_chunk {
	uint32_t magic;
	uint32_t type;
	uint64_t bytes; /* with this header; a multiple of SCP_GRANULE */
	uint64_t used;	/* with this header */
	uint32_t table; /* which table the records belong to; 0 for SCP_CHUNK_PROCESS */
	uint32_t reserved[9];
};

enum scp_record_type {
	SCP_REC_FUNCTION = 1,
	SCP_REC_MODULE = 2,
	SCP_REC_TABLE = 3,
	SCP_REC_PATH = 4,
	SCP_REC_ENTRY = 5,
	SCP_REC_GAP = 6,
	SCP_REC_HIST = 7,
	SCP_REC_BATCH = 8,
	SCP_REC_SLOW = 9,
	SCP_REC_PROCESS = 10, /* merged files: one for each process merged */
	SCP_REC_PHASE = 11,
	SCP_REC_LINE = 12,
	SCP_REC_SLOWEST = 13, /* in optional chunks only */
	SCP_REC_SITE_COST = 14,
	/* in optional chunks only */
	SCP_REC_ACCOUNT = 15,
	SCP_REC_ACCOUNT_CPU = 16,
	SCP_REC_ACCOUNT_TEXT = 17,
	SCP_REC_STATES = 18,
	SCP_REC_STATE_BATCHES = 19,
	SCP_REC_STATE_HIST = 20,
	SCP_REC_TABLE_STATES = 21,
	SCP_REC_TAIL = 22,
	SCP_REC_PATH_DIFFERENCE = 23, /* in optional chunks only */
	SCP_REC_FIRST_CALLS = 24,
	SCP_REC_END = 25,    /* in optional chunks only */
	SCP_REC_LOOK = 26,   /* in optional chunks only */
	SCP_REC_ATTACH = 27, /* in optional chunks only */
	SCP_REC_SOURCE_FUNCTION = 28,
	SCP_REC_SOURCE_LINE = 29,
	SCP_REC_GENERATED = 30, /* these three in optional chunks only */
	SCP_REC_SAMPLING = 31,	/* in optional chunks only, as SAMPLE */
	SCP_REC_SAMPLE = 32
};

struct scp_record {
	uint32_t type;
	uint32_t bytes; /* with this header; a multiple of SCP_RECORD_ALIGN */
};

/* A wrapped function; also the overflow entry for it. In a PROCESS chunk. */
struct scp_function {
	struct scp_record rec;
	uint32_t id;
	uint32_t group;		 /* SCP_GROUP_* bits */
	uint64_t overflow_calls; /* calls that found no room in a table */
	uint64_t overflow_units;
	uint64_t overflow_bytes;
	char name[40];	  /* NUL-terminated */
	char library[48]; /* soname or file name of what provides it */
	/* In a record longer than this: the whole name, of which `name` is the beginning. */
	char long_name[];
};

/* A loaded object, written when it first appears on a path. In a PROCESS chunk.
 * `id` starts at 1; 0 in a frame means "no module": the offset is an address. */
struct scp_module {
	struct scp_record rec;
	uint32_t id;
	uint32_t build_id_bytes;
	uint64_t base;	     /* load bias: address in memory - address in the ELF file */
	uint64_t start, end; /* mapped range */
	uint8_t build_id[SCP_BUILD_ID_MAX];
	char path[]; /* NUL-terminated, to the end of the record */
};

/* The head of a table: the first record of its first chunk. A table belongs to
 * one thread at a time and is handed on when that thread ends. For a table:
 *   sum of entry.units - nested_units + sum of gap.units + recording_units
 *       = closed_units + (last_at - first_at)            (exactly)
 * apart from calls and gaps that overflowed into the process's counters. */
struct scp_table {
	struct scp_record rec;
	uint32_t id;
	uint32_t tid;	       /* of the present or last owner */
	uint32_t live;	       /* 1 while a thread owns it */
	uint32_t threads;      /* how many threads have owned it */
	uint64_t first_at;     /* clock, start of the present owner's record */
	uint64_t last_at;      /* clock, exit of its last top-level call */
	uint64_t closed_units; /* lifetimes of the owners that ended */
	uint64_t nested_units; /* calls inside calls (signal handlers): else counted twice */
	uint64_t nested_calls;
	char name[16];	  /* comm of the owner */
	uint32_t process; /* merged files: index of its PROCESS record; else 0 */
	uint32_t reserved0;
	/* Spent by the library on what is rare: walking the stack, new records, a larger file.
	 * Between two readings of the clock each; in no call and in no gap. */
	uint64_t recording_units, recordings;
	uint64_t walks; /* of the stack, to find a call path */
	uint64_t reserved[2];
};

#define SCP_PATH_CUT	     1u	 /* ended at a frame without usable unwind information */
#define SCP_PATH_TRUNCATED   2u	 /* deeper than SCP_MAX_FRAMES */
#define SCP_PATH_SMALL_STACK 4u	 /* caller only: no room to unwind, or no system call allowed */
#define SCP_PATH_LIMITED     8u	 /* --depth: outer frames were left out on purpose */
#define SCP_PATH_HEURISTIC   16u /* some frames were found without unwind tables */
#define SCP_PATH_PYTHON_CUT  32u /* Python frames are missing, or where they belong is not known */

/* A frame: heuristic << 63 | module id << 48 | exact << 47 | offset. The offset is the return
 * address less the module's base (module 0: the address itself). `exact` marks an address that was
 * interrupted by a signal, not a return address; `heuristic` one that no unwind table led to, but a
 * chain of frame pointers, or what libunwind makes of code without tables. Module SCP_FRAME_SOURCE
 * is none: the offset is the id of a SOURCE_LINE record. */
#define SCP_FRAME_SOURCE    0x7fffu
#define SCP_FRAME_HEURISTIC (UINT64_C(1) << 63)
#define SCP_FRAME_MODULES   0x7fffu /* the largest module id */
#define SCP_FRAME_MODULE(f) ((uint32_t)((f) >> 48) & SCP_FRAME_MODULES)
#define SCP_FRAME_EXACT(f)  ((uint32_t)((f) >> 47) & 1u)
#define SCP_FRAME_OFFSET(f) ((f) & ((UINT64_C(1) << 47) - 1))
#define SCP_FRAME(module, exact, offset)                                                           \
	(((uint64_t)(module) << 48) | ((uint64_t)(exact) << 47) |                                  \
	 ((offset) & ((UINT64_C(1) << 47) - 1)))

/* A call path, innermost frame (the caller of the wrapped function) first. Its `shared` outermost
 * frames are those of path `base` of the same table, which has a smaller id and at least as many
 * frames; they are not repeated: frame[] has frames - shared. */
struct scp_path {
	struct scp_record rec;
	uint32_t id; /* in its table, from 1 */
	uint16_t frames, shared;
	uint32_t flags; /* SCP_PATH_* */
	uint32_t base;	/* 0: shared is 0 */
	uint64_t hash;	/* of all frames; nothing depends on it */
	uint64_t frame[];
};

/* A function of an interpreted language, and a place in it from which a call was made. The line is
 * resolved in the process, when a path first goes through it: reports need neither the process nor
 * its interpreter, and decode no tables. */
enum scp_language {
	SCP_LANGUAGE_NONE = 0,
	SCP_LANGUAGE_PYTHON = 1,
	SCP_LANGUAGE_JAVASCRIPT = 2, /* in models only: functions of generated code */
	SCP_LANGUAGE_JAVA = 3
};
#define SCP_SOURCE_NAME_MAX 512u  /* bytes with the NUL: longer names are cut at their end... */
#define SCP_SOURCE_FILE_MAX 1024u /* ...and longer paths of files at their beginning */
struct scp_source_function {
	struct scp_record rec;
	uint32_t id;	   /* in the file, from 1 */
	uint32_t language; /* enum scp_language */
	uint32_t first_line;
	uint32_t name_bytes, file_bytes; /* with their NULs */
	uint32_t reserved;
	char strings[]; /* the name (qualified where the language has that), the file, UTF-8 */
};

struct scp_source_line {
	struct scp_record rec;
	uint32_t id;	   /* in the file, from 1 */
	uint32_t function; /* id, of a record before this one */
	uint32_t line;	   /* 0: not known */
	/* Bytes from the beginning of the line, from 1, and of what follows; 0: not known, or (the
	 * end) on another line. */
	uint32_t column, end_column;
	/* Offset into the bytecode, UINT32_MAX: none was executed yet. Places of one line are apart
	 * by this. */
	uint32_t instruction;
	uint64_t reserved[4];
};

/* Generated code by name, as its maker told it (perf-PID.map, jitdump): kept where a path goes
 * through it, since such files are removed. */
struct scp_generated {
	struct scp_record rec;
	uint32_t id;	       /* in the file, from 1 */
	uint32_t language;     /* reserved: 0 */
	uint64_t start, bytes; /* of code, in the process's memory */
	uint32_t pid;	       /* of which process; 0: of all */
	uint32_t name_bytes;
	char name[]; /* NUL-terminated */
};

enum scp_outcome {
	SCP_COMPLETED = 0,
	SCP_WOULD_BLOCK = 1, /* EAGAIN, EWOULDBLOCK, EINPROGRESS, EINTR */
	SCP_ERROR = 2,
	SCP_PEEK = 3,	   /* MSG_PEEK moves no data */
	SCP_EXCEPTION = 4, /* left by an exception: selected functions, blocks of Python */
	/* Waited as long as it was told to, for nothing. Not in a file: there it is WOULD_BLOCK
	 * with SCP_ENTRY_TIMED_OUT, which means what it says to readers that know no flag. */
	SCP_TIMEOUT = 5,
	SCP_OUTCOMES = 6
};

/* (table, path, function, outcome). Squares are 128-bit: lo + hi * 2^64. */
struct scp_entry {
	struct scp_record rec;
	uint32_t id; /* in its table, from 1 */
	uint32_t path;
	uint32_t function;
	uint32_t outcome; /* enum scp_outcome, below SCP_TIMEOUT */
	uint32_t seq;
	uint32_t batch_count; /* complete batches in the BATCH block */
	uint64_t calls;
	uint64_t units;
	uint64_t units_sq_lo, units_sq_hi;
	/* second cache line */
	uint64_t max_units, min_units;
	uint64_t first_at, last_at; /* clock: entry of the first call, exit of the last */
	uint64_t batch_calls;	    /* calls in one batch: 1, 2, 4, ... */
	uint64_t batch_end;	    /* value of `calls` at which the present batch closes */
	uint64_t batch_base_units;  /* value of `units` at which it began */
	uint64_t flags;		    /* SCP_ENTRY_* */
	/* third cache line: bytes moved, and the sums for a straight line of time on size */
	uint64_t bytes;
	uint64_t bytes_sq_lo, bytes_sq_hi;
	uint64_t bytes_units_lo, bytes_units_hi;
	uint64_t first_units; /* of the first call: what being cold costs */
	uint64_t max_at;      /* clock: when the longest call so far ended */
	uint64_t inner_calls; /* recorded intervals that ended inside these, at any depth */
};
#define SCP_ENTRY_BYTES	     1u /* the function moves bytes: the byte sums mean something */
#define SCP_ENTRY_TIMED_OUT  2u /* of outcome SCP_WOULD_BLOCK: all its calls are SCP_TIMEOUT */
#define SCP_ENTRY_WAY_SHIFT  8	/* its enum scp_way; in files without ways all are SCP_WAY_SYSTEM */
#define SCP_ENTRY_WAY(flags) ((uint32_t)((flags) >> SCP_ENTRY_WAY_SHIFT) & (SCP_WAYS - 1))

/* From the exit of one top-level call to the entry of the next in the same
 * thread. from = 0: from the start of the thread; to = 0: to its end. */
struct scp_gap {
	struct scp_record rec;
	uint32_t from, to; /* entry ids of the table */
	uint32_t seq;
	uint32_t id;
	uint64_t calls;
	uint64_t units;
	uint64_t units_sq_lo, units_sq_hi;
	uint64_t max_units;
};

/* Durations of an entry's first calls, in order: slot i is about call i + 1, and those beyond
 * entry.calls mean nothing. An entry of 2 to SCP_FIRST_CALLS calls has its histogram and its
 * batches here, whatever other records there are; one of more calls has its first batches here for
 * as long as it has no BATCH record of clock 0. So one word, entry.calls, says where a call is
 * counted. */
#define SCP_FIRST_CALLS 6u
struct scp_first_calls {
	struct scp_record rec;
	uint32_t entry;
	uint32_t reserved0;
	uint64_t units[SCP_FIRST_CALLS];
};

/* Log-linear histogram of durations in units, eight buckets an octave. An entry of one call needs
 * none (it has one call of entry.units), and one of a few calls has FIRST_CALLS. Value v
 * lies in bucket v if v < 8, else (e - 2) * 8 + ((v >> (e - 3)) & 7) with
 * e = floor(log2 v). Block b holds buckets 64 b .. 64 b + 63. */
struct scp_hist {
	struct scp_record rec;
	uint32_t entry;
	uint32_t block;
	uint64_t reserved[6];
	uint64_t count[SCP_HIST_BUCKETS];
};

/* Sums of units over consecutive batches of `batch_calls` calls each, oldest first. clock: 0 for
 * entry.units, 1 for slow.units. The calls in no batch are one stretch at the end; in merged files,
 * where an entry has the calls of several threads, they may be several: then sums over those, of n
 * calls and t units each (0 stretches: one, or not known). */
struct scp_batch {
	struct scp_record rec;
	uint32_t entry;
	uint32_t clock;
	uint64_t apart_stretches;
	uint64_t apart_calls_sq;			     /* n^2 */
	uint64_t apart_calls_units_lo, apart_calls_units_hi; /* n t */
	uint64_t apart_units_sq_lo, apart_units_sq_hi;	     /* t^2 */
	uint64_t sum[SCP_BATCHES];
};

/* Calls of a wrapped function that no group records, outside of recorded calls: how many there
 * were, and how long a sample of them took. A timed call stands for `weight` calls, which was fixed
 * before it began: the expected distance to the next one that is timed (1 for the first few, and
 * for long calls). The sums are those of Horvitz and Thompson (1952): `units` estimates the time of
 * all calls, and units_sq its variance. */
struct scp_look {
	struct scp_record rec;
	uint32_t function;
	uint32_t reserved;
	uint64_t calls;
	uint64_t timed;
	uint64_t weight;		   /* sum of w over timed calls */
	uint64_t units;			   /* sum of w u */
	uint64_t units_sq_lo, units_sq_hi; /* sum of w (w - 1) u^2 */
};

/* Where in the tick calls began: bin floor(32 phase), phase in [0, 1) of a tick of the slow clock
 * (the main one, or the second of a dual run), by CLOCK_MONOTONIC. For clocks of fixed ticks only.
 * A sample of the calls, at random distances of a tick or more, so that samples of a fast loop are
 * not adjacent. */
struct scp_phase {
	struct scp_record rec;
	uint32_t entry;
	uint32_t reserved0;
	uint64_t reserved[6];
	uint64_t count[SCP_PHASE_BINS];
};

/* The sums for a straight line of time on size over the same consecutive batches as the entry's
 * BATCH record of clock 0, whose sums are its time: jackknifing them gives the line's error
 * whatever the noise is like. The record begins when an entry has a few batches and its sizes vary;
 * the slots from before are filled in then: slot i is about the calls of batch i, and the sums over
 * all slots are those of all batched calls. Where all sizes are equal no record is needed. */
struct scp_line {
	struct scp_record rec;
	uint32_t entry;
	uint32_t reserved0;
	uint64_t reserved[6];
	uint64_t bytes[SCP_BATCHES];
	uint64_t bytes_sq_lo[SCP_BATCHES], bytes_sq_hi[SCP_BATCHES];
	uint64_t bytes_units_lo[SCP_BATCHES], bytes_units_hi[SCP_BATCHES];
};

/* The entry's calls by octaves of their duration (eight buckets of its histogram) over the same
 * consecutive batches as its BATCH record of clock 0: what limits of percentiles need, since a long
 * call brings others. The first of the octaves holds the shorter calls, too, and the last the
 * longer ones. The record begins when an entry has some hundred calls: slots from before hold none.
 * A slot whose counts do not add up to the calls of a batch is not known. `base`: calls by octaves
 * up to the end of the latest batch. */
#define SCP_TAIL_OCTAVES 15u
struct scp_tail {
	struct scp_record rec;
	uint32_t entry;
	uint16_t first, octaves; /* first octave: bucket / 8; number, at most SCP_TAIL_OCTAVES */
	uint64_t base[SCP_TAIL_OCTAVES];
	uint64_t reserved[7];
	uint32_t calls[SCP_BATCHES][SCP_TAIL_OCTAVES];
};

/* Where time went in which a thread was not on a CPU: weighted sums over segments that were read,
 * each weighted by 1 / the probability that it would be (Horvitz and Thompson 1952). `known` and
 * `weighted` are for the ratio estimate (Cochran 1977, "Sampling Techniques", section 6.2; 12.7 for
 * two phases): the total of an auxiliary quantity, and its estimate by the same sample. It is how
 * long the calls, or gaps, were in which a detector saw switches, in clock units (merged files: ns;
 * without SCP_FILE_LENGTHS the lengths of the segments in ns); else (SCP_SWITCH_SAMPLED) the number
 * of calls, and `known` is 0: it is the entry's. */
struct scp_off_cpu {
	uint64_t known, weighted;
	uint64_t runnable_ns; /* waiting for a CPU */
	uint64_t asleep_ns;
	uint64_t ran_ns; /* CPU time in segments in which the thread slept: what the host stole of
			    them counts as asleep, and may be taken off in proportion */
	uint64_t waits;	 /* voluntary switches */
};

/* An entry's calls that were switched. None: no call was, as far as the file's detector sees.
 * What came before from_calls was recorded by a detector that was given up. Protected by the
 * entry's seq, as what follows. */
struct scp_states {
	struct scp_record rec;
	uint32_t entry;
	uint32_t detector; /* enum scp_switch_detector; merged files, NONE: not known */
	uint64_t from_calls, from_units;
	/* Calls that were switched; of SCP_SWITCH_SAMPLED those that were asked, and were not. */
	uint64_t calls, units, units_sq_lo, units_sq_hi;
	uint64_t readings;	    /* calls of which off_cpu holds anything */
	uint64_t switched_weighted; /* SCP_SWITCH_SAMPLED: estimated number of switched calls */
	struct scp_off_cpu off_cpu;
	/* Sums over calls, of ns and clock units: of a few calls without batches, for the error. */
	uint64_t runnable_sq_lo, runnable_sq_hi, asleep_sq_lo, asleep_sq_hi;
	uint64_t runnable_asleep_lo, runnable_asleep_hi;
	uint64_t units_runnable_lo, units_runnable_hi, units_asleep_lo, units_asleep_hi;
	/* Merged files: what of these times, as of all calls, is not as it was read, but what the
	 * thread's account lacked. */
	int64_t moved_runnable_ns, moved_asleep_ns;
	uint64_t reserved[4];
};

/* The same by batches: slot i is about the calls of slot i of the entry's BATCH record of clock 0.
 * It begins when an entry has a few batches and a switched call; what was before is in slot 0. */
struct scp_state_batches {
	struct scp_record rec;
	uint32_t entry;
	uint32_t reserved0;
	uint64_t reserved[6];
	uint64_t calls[SCP_BATCHES], units[SCP_BATCHES]; /* as in STATES */
	uint64_t known[SCP_BATCHES], weighted[SCP_BATCHES];
	uint64_t runnable_ns[SCP_BATCHES], asleep_ns[SCP_BATCHES];
};

/* Histograms (struct scp_hist) of an entry's calls: `block` is SCP_HIST_BLOCKS * kind + block.
 * Counts of SCP_STATE_LOST and SCP_STATE_SLEPT are weighted. */
enum scp_state_hist {
	SCP_STATE_SWITCHED =
		0,	     /* all switched calls; SCP_SWITCH_SAMPLED: of those asked, weighted */
	SCP_STATE_LOST = 1,  /* of those read: the CPU was taken away, and nothing else */
	SCP_STATE_SLEPT = 2, /* of those read: they waited for something */
	SCP_STATE_HISTS = 3
};

/* A table's gaps, and what its threads were charged. One a table. */
struct scp_table_states {
	struct scp_record rec;
	uint32_t seq; /* odd while it changes */
	uint32_t detector;
	uint64_t gaps, gap_units; /* that were switched */
	struct scp_off_cpu gap_off_cpu;
	/* From the owners' first readings to their latest: elapsed time, and CPU time charged. */
	uint64_t covered_ns, cpu_ns;
	/* Of segments that were read and in which the thread did not sleep: time on a CPU, and how
	 * much of it was not charged: stolen by the host, or interrupts that are accounted apart.
	 */
	uint64_t ran_ns, stolen_ns;
	uint64_t switches;		 /* seen */
	struct scp_off_cpu call_off_cpu; /* of top-level calls */
	/* The same as covered_ns, between readings of the run delay, and how long the threads were
	 * runnable meanwhile. 0 and 0: not known. */
	uint64_t delay_covered_ns, delay_ns;
	/* Charged beyond the time on a CPU, where stolen_ns is 0: errors of both signs cancel in
	 * the sum of all tables. */
	uint64_t overcharged_ns;
};

/* A path that a second walk found in another way: frames (SCP_FRAME), innermost first, of both
 * walks from the first one in which they differ on. */
struct scp_path_difference {
	struct scp_record rec;
	uint32_t id;	       /* in the file, from 1 */
	uint32_t at;	       /* the frame in which they differ, from 0 */
	uint32_t ours, theirs; /* frames that follow: ours[], then theirs[] */
	uint32_t reserved[2];
	uint64_t frame[];
};

/* `dual`: the same calls on the slow clock. Protected by the entry's seq. */
struct scp_slow {
	struct scp_record rec;
	uint32_t entry;
	uint32_t reserved;
	uint64_t units;
	uint64_t units_sq_lo, units_sq_hi;
	uint64_t max_units;
	uint64_t batch_base_units;
	uint64_t reserved1;
};

/* One of a table's longest calls that lasted least_ns or more: single calls, beside the
 * sums that hold them too. A table has a record more than the count that was asked for:
 * that of the shortest is written over, so that the others are whole at any moment. `seq`
 * is odd while that is done; what a killed process leaves odd is to be ignored. The
 * two instants are readings of the system's clocks when the call had ended, just behind
 * the end of the call itself: began = ended - units, where units are wall-clock time. */
struct scp_slowest {
	struct scp_record rec;
	uint32_t id; /* in its table, from 1 */
	uint32_t seq;
	uint32_t entry; /* of the table: path, function, outcome */
	uint32_t tid;	/* the table's owner at that time */
	uint32_t pid;	/* merged files: its process; else 0 */
	uint32_t reserved0;
	uint64_t units;
	uint64_t slow_units; /* `dual`: of the slow clock */
	uint64_t bytes;
	uint64_t began_at;		 /* clock */
	uint64_t ended_mono_ns;		 /* CLOCK_MONOTONIC_RAW */
	uint64_t ended_real_ns;		 /* CLOCK_REALTIME */
	char name[16];			 /* of the thread */
	uint64_t state;			 /* enum scp_slowest_state; 0 in older files */
	uint64_t runnable_ns, asleep_ns; /* for SCP_SLOWEST_READ */
	uint64_t reserved;
};

enum scp_slowest_state {
	SCP_SLOWEST_UNKNOWN = 0,
	SCP_SLOWEST_RAN = 1,	  /* it kept its CPU */
	SCP_SLOWEST_SWITCHED = 2, /* it did not; more is not known */
	SCP_SLOWEST_READ = 3	  /* it did not, and this is where its time went */
};

/* Merged files: what a call at one site costs, by the regression of displacement on call counts
 * (`scprof run --displace`). It stands at one entry of the site, for all entries of that run with
 * its path, function and outcome. The regression's sites of one `group` go together: their costs
 * cannot be distinguished; what stands here is the mean over their calls. Values are signed: noise
 * about nothing is below 0 half of the time. */
enum scp_site_cost_state {
	SCP_SITE_COST_KNOWN = 1,
	SCP_SITE_COST_RARE = 2,	  /* calls in too few windows */
	SCP_SITE_COST_STEADY = 3, /* its calls do not vary: not to be told from the rest */
	SCP_SITE_COST_FEW = 4, /* too few windows for so many sites, or a site beyond the limit */
};

struct scp_site_cost {
	struct scp_record rec;
	uint32_t entry;
	uint32_t state;		/* enum scp_site_cost_state; values are for KNOWN only */
	uint64_t run;		/* which measurement: CLOCK_REALTIME at its end, ns */
	uint32_t group;		/* in the run, from 1 */
	uint32_t spans;		/* that the regression had, where they were fewest */
	uint32_t kept_ppm;	/* share of the fluid's windows that were not excluded */
	uint32_t inflation_ppk; /* of the variance by the other sites, thousandths */
	/* accounted to no task; with what the program was charged: picoseconds a call, the
	 * standard errors, and their degrees of freedom in thousandths */
	int64_t uncharged_ps, uncharged_error_ps;
	int64_t true_ps, true_error_ps;
	uint32_t uncharged_freedom_ppk, true_freedom_ppk;
	/* of the CPU that others used most: share of its time that was neither the program's nor
	 * the fluid's. Work that fell into it was charged to them. */
	uint32_t busy_ppm;
	uint32_t reserved0; /* anything */
	uint64_t reserved[5];
};
#define SCP_SITE_COST_MAX_PS INT64_C(1000000000000000) /* 1000 s: what is more is damage */

/* Merged files: where the time of the CPUs went while a run was measured by displacement
 * (`scprof run --displace`), all CPUs together. Nanoseconds; signed, for each is measured by
 * itself, and errors can make one negative. An error of INT64_MAX: nothing can be said. */
struct scp_account {
	struct scp_record rec;
	uint32_t id; /* in the file, from 1 */
	uint32_t uncharged_freedom_ppk;
	uint64_t run; /* which measurement: CLOCK_REALTIME at its end, ns */
	/* uncharged, its standard error and degrees of freedom in thousandths */
	int64_t uncharged_ns, uncharged_error_ns;
	int64_t rusage_ns; /* of the program */
	uint64_t reserved[10];
};

/* One CPU of an account. The parts add up to the wall time. */
enum scp_account_part {
	SCP_ACCOUNT_PROGRAM,   /* charged to the program */
	SCP_ACCOUNT_UNCHARGED, /* came with the program, and was accounted to no task */
	SCP_ACCOUNT_OTHERS,    /* other tasks */
	SCP_ACCOUNT_SCPROF,
	SCP_ACCOUNT_INTERRUPTS, /* that there are at rest, too, and switching between tasks */
	SCP_ACCOUNT_STOLEN,	/* by the host */
	SCP_ACCOUNT_IDLE,
	SCP_ACCOUNT_REMAINDER, /* not explained */
	SCP_ACCOUNT_PARTS
};

struct scp_account_cpu {
	struct scp_record rec;
	uint32_t account;
	uint32_t cpu;
	uint64_t wall_ns;
	int64_t part_ns[SCP_ACCOUNT_PARTS];
	uint64_t reserved[5];
};

/* The account in words (index 0), and what makes it doubtful (from 1). */
struct scp_account_text {
	struct scp_record rec;
	uint32_t account;
	uint32_t index;
	char text[]; /* NUL-terminated */
};

/* Merged files: samples of what the processes computed, which the kernel took at random instants of
 * their CPU time (`--sample`). One record a file. */
#define SCP_SAMPLE_PERIOD_MAX UINT64_C(1000000000000)
#define SCP_SAMPLING_USER     1u /* of user space only: the kernel allowed no more */
#define SCP_SAMPLING_MIXED    2u /* of files with different periods */
struct scp_sampling {
	struct scp_record rec;
	uint32_t id;	    /* 1 */
	uint32_t flags;	    /* SCP_SAMPLING_* */
	uint64_t period_ns; /* mean CPU time between two samples */
	uint64_t lost;	    /* samples for which there was no room */
	uint64_t cut;	    /* samples whose outer frames were not found */
	uint64_t cpu_ns;    /* that the kernel charged to the processes sampled; 0: not known */
	uint64_t reserved[2];
};

enum scp_sample_kind {
	SCP_SAMPLE_COMPUTING = 0,
	SCP_SAMPLE_IN_CALL = 1,	  /* a recorded call was open; no frames */
	SCP_SAMPLE_RECORDING = 2, /* in libscprof.so itself; no frames */
	SCP_SAMPLE_KINDS
};

/* Samples of one process on one path. The run's samples, in the order of time, are cut into
 * SCP_SAMPLE_BATCHES batches of equal numbers: a word is a count, and above SCP_SAMPLE_COUNT_BITS
 * its batch. */
#define SCP_SAMPLE_BATCHES    32u
#define SCP_SAMPLE_COUNT_BITS 27u
#define SCP_SAMPLE_COUNT_MAX  ((1u << SCP_SAMPLE_COUNT_BITS) - 1)
struct scp_sampled {
	struct scp_record rec;
	uint32_t id;	  /* in the file, from 1 */
	uint32_t process; /* index of its PROCESS record */
	uint32_t kind;	  /* enum scp_sample_kind */
	uint32_t flags;	  /* SCP_PATH_* */
	uint32_t frames, words;
	uint64_t reserved[4];
	uint64_t frame[]; /* SCP_FRAME, innermost first, then the words, 32 bits each */
};

/* One process of a merged file. */
struct scp_process {
	struct scp_record rec;
	uint32_t index;		   /* from 1 */
	uint32_t pid, ppid, count; /* count: processes folded into this record */
	uint32_t end_state;
	uint32_t argc;
	uint64_t start_real_ns, start_mono_ns, end_mono_ns;
	/* Strings follow: exe, then argv, NUL-terminated each, and then, where the record goes on,
	 * the name as in scp_header.program. Older files have zeros there, or nothing. */
	uint32_t argv_bytes, exe_bytes;
	char strings[];
};

/* Merged files: which recording of the tool a process was in, and what `scprof run` saw of its end
 * from outside. A killed process, or one that leaves by a bare system call, writes nothing itself.
 */
enum scp_end_seen {
	SCP_END_UNSEEN = 0, /* nothing: what end_state says is all */
	SCP_END_LIVED = 1,  /* it was still there when the file was written */
	SCP_END_GONE = 2,   /* it was not, and nobody saw how it ended */
	SCP_END_STATUS = 3, /* it exited with status `value` */
	SCP_END_SIGNAL = 4  /* signal `value` killed it */
};
#define SCP_END_STATUS_MAX 255u
#define SCP_END_SIGNAL_MAX 64u

/* One a PROCESS record at most. */
struct scp_end {
	struct scp_record rec;
	uint32_t process; /* its index */
	uint32_t seen;	  /* enum scp_end_seen */
	uint32_t value;
	uint32_t run; /* the same number: of the same recording; 0: not known */
	uint64_t reserved[5];
};

enum {
	SCP_ATTACHED_DETACHED = 1, /* recording was ended by the tool, not by the process's end */
	SCP_ATTACHED_WOKEN = 2	   /* the library was there, dormant: no thread was held up */
};
#define SCP_ATTACHED_FLAGS 3u

/* A process to which the tool went while it ran. One a PROCESS record at most. */
struct scp_attached {
	struct scp_record rec;
	uint32_t process;	   /* its index */
	uint32_t flags;		   /* SCP_ATTACHED_* */
	uint64_t stopped_ns;	   /* the longest that a thread was held up */
	uint64_t stopped_total_ns; /* all of it */
	uint32_t threads;	   /* of the process, when it began */
	uint32_t in_calls;	   /* of these: inside a call then, which is not recorded */
	/* see struct scp_attach_slots */
	uint32_t written, unbound, other, failed, put_back, changed, gone, objects, kept, skipped;
	uint64_t ran_ns; /* for so long it had run when recording began; 0: not known */
	uint32_t pid;	 /* as who attached numbers it; 0: not known */
	uint32_t reserved0;
	uint64_t reserved[4];
};

/* The page clock: a file that the collector maps, advances and removes. The
 * word that the target reads has a cache line of its own. */
#define SCP_CLOCK_PAGE_MAGIC "SCPCLK1\n"
#define SCP_CLOCK_PAGE_BYTES 4096u
struct scp_clock_page {
	char magic[8];
	uint32_t flags; /* SCP_CLOCK_RANDOMIZED */
	uint32_t ticker_pid;
	uint64_t interval_ps; /* mean tick */
	uint64_t reserved0[5];
	uint64_t ticks; /* advanced by the ticker; read by every target */
	uint64_t reserved1[7];
	uint64_t late_sum_ns, late_max_ns, late_ticks; /* of the ticker, since it began */
	uint64_t cpu; /* where the latest tick was made, + 1; 0: not known */
};

_Static_assert(sizeof(struct scp_header) <= SCP_HEADER_BYTES, "header fits");
_Static_assert(sizeof(struct scp_chunk) == 64, "chunk header");
_Static_assert(sizeof(struct scp_function) == 128, "function record");
_Static_assert(sizeof(struct scp_table) == 128, "table record");
_Static_assert(sizeof(struct scp_entry) == 192, "entry record");
_Static_assert(sizeof(struct scp_gap) == 64, "gap record");
_Static_assert(sizeof(struct scp_look) == 64, "look record");
_Static_assert(sizeof(struct scp_first_calls) == 64, "durations of the first calls");
_Static_assert(sizeof(struct scp_hist) == 576, "histogram block");
_Static_assert(sizeof(struct scp_batch) == 576, "batch block");
_Static_assert(sizeof(struct scp_slow) == 64, "slow record");
_Static_assert(sizeof(struct scp_phase) == 320, "phase record");
_Static_assert(sizeof(struct scp_site_cost) == 128, "site cost record");
_Static_assert(sizeof(struct scp_account) == 128, "account record");
_Static_assert(sizeof(struct scp_account_cpu) == 128, "account of a CPU");
_Static_assert(sizeof(struct scp_end) == 64, "end record");
_Static_assert(sizeof(struct scp_attached) == 128, "attach record");
_Static_assert(sizeof(struct scp_source_line) == 64, "place in a function");
_Static_assert(sizeof(struct scp_line) == 2624, "line record");
_Static_assert(sizeof(struct scp_slowest) == 128, "slowest record");
_Static_assert(sizeof(struct scp_states) == 256, "states record");
_Static_assert(sizeof(struct scp_state_batches) == 3136, "states by batches");
_Static_assert(sizeof(struct scp_table_states) == 192, "states of a table");
_Static_assert(sizeof(struct scp_sampling) == 64, "sampling record");
_Static_assert(sizeof(struct scp_sampled) == 64, "sample record");
_Static_assert(sizeof(struct scp_tail) == SCP_GRANULE - sizeof(struct scp_chunk), "tail record");

#endif
