// SPDX-License-Identifier: GPL-3.0-or-later
/* The table. Those that weigh most come first within their kind. */
#include "report/wording/warning_list.h"

#include <string.h>

#define A WARNING_ANSWER
#define N WARNING_NUMBERS
#define D WARNING_DOUBT
#define P WARNING_PATHS
#define O WARNING_NOTE

const struct warning_code warning_codes[] = {
	{"no-calls", A, "no call was recorded",
	 "A program that is linked statically, is set-user-ID, or makes its system calls itself "
	 "shows nothing. So does one that calls none of the timed functions, or none that the "
	 "filters let through.",
	 "See -g and -s of `scprof run`."},
	{"calls-skipped", N, "calls were passed through without being timed",
	 "That happens before scprof is ready, and in a signal handler that interrupts it or has "
	 "hardly any stack. It happens to a forked child's first calls of open and close: it may "
	 "be about to execute another program. It happens, too, where arguments, the kind of a "
	 "descriptor, or the callers that --below names are unknown. The calls are in no row; the "
	 "means of the others are not affected. In a comparison, differences in the number of "
	 "calls may be theirs.",
	 ""},
	{"overflow", N, "calls, or what is kept of them, found no room in the profile",
	 "They are counted by function, in the rows \"(no room: path not kept)\", without "
	 "interval. `scprof diff` does not compare them. What else found no room is missing from "
	 "percentiles, names or the slowest calls.",
	 "Free space where the profile is written, or raise its size limit, and run again. Where "
	 "permission was denied, have it in memory (SCPROF_OUT in /run). Else a thread's index of "
	 "paths got no memory, or is full, at 1 GiB: record fewer functions (-g, -s). Of regions "
	 "a process has 4,096 names, and a thread 8,192 open."},
	{"calls-abandoned", N, "calls have no end, or regions no beginning",
	 "A longjmp, an exception, a cancellation or the end of the thread left the calls, or "
	 "their regions never ended. They are in no row, and their time lies in the gap that "
	 "follows. Around a region that ends without a beginning others may end too early.",
	 ""},
	{"sandboxed", N, "the program forbade system calls or the clock",
	 "A seccomp filter or its strict mode, or prctl PR_SET_TSC, did. From then on scprof made "
	 "no system call: new call paths may be cut or counted as overflow. No call was asked "
	 "where its time went. Where the clock could not be read nothing more was recorded.",
	 ""},
	{"slots-failed", N, "slots do not lead to scprof",
	 "The kernel refused to make the memory writable, or another tool or the program wrote to "
	 "it meanwhile. Calls through these words of the program's objects may go by unseen.",
	 ""},
	{"not-ended", N, "nobody saw processes end",
	 "All calls that had returned are here; one that had not is missing.", ""},
	{"time-check", N, "sums do not agree with each other",
	 "They should agree exactly. A live program moved on while it was read, it was killed "
	 "meanwhile, or records are missing. Totals and shares may be off by that much, single "
	 "sums by one call.",
	 ""},
	{"rate-uncertain", N, "the rate of the clock is not well known",
	 "The run was short. All times may be off by that factor together, beyond the intervals. "
	 "Comparisons within this profile are not affected.",
	 "A longer run is surer."},
	{"ticker-costly", N, "ticks take more than 1 % of a CPU, or would",
	 "Each tick takes that time from a thread on its CPU.",
	 "--exact-tick keeps a short tick; without it a longer one is used."},
	{"ticker-late", N, "ticks of the page clock came late",
	 "Time is moved from where a tick was due to where it came.",
	 "Leave the ticker a CPU, or use a longer tick (-d)."},
	{"ticker-near", N, "the page clock's ticker often ran on the threads' CPUs",
	 "Each of its ticks took the CPU from the thread there. Calls that kept their CPU saw too "
	 "few ticks, so their mean is not told. The means of all calls are right.",
	 "Give the program and the ticker different CPUs (taskset), or use -c tsc."},
	{"slow-clock-biased", N, "the slow clock misses the fast one's means",
	 "That happens more often than chance would have it: the ticks do not fall at random into "
	 "this program. It shares its CPUs with the ticker, whose ticks slow the calls after them, "
	 "or it is synchronous with the ticks. Trust MEAN, not SLOW.",
	 "Leave the ticker a CPU, or use a longer tick (-d)."},
	{"setting-ignored", N, "what was asked for is not in force",
	 "The calls in the profile were recorded without it, or with another clock, or none was.",
	 "`scprof clocks` says why a clock cannot be used. `scprof run` has an option for each "
	 "variable. Under a bare LD_PRELOAD, `scprof symbols "
	 "--stubs FILE` writes stubs, which stand before libscprof.so."},
	{"profiles-differ", N, "the profiles were not recorded alike",
	 "Their groups, filters, clocks, detectors of switches or numbers of slowest calls differ. "
	 "Counts, "
	 "totals and shares of them together are of no run that there was. A small change, or what "
	 "a comparison finds on one side only, may be theirs.",
	 "Record all of them alike."},
	{"one-run-a-side", N, "one run a side cannot tell a change from what the machine did",
	 "There are too few other sites of their function to learn that from. Only large changes "
	 "count there.",
	 "Give several runs a side, recorded in turn: scprof diff BASE... -- NEW..."},
	{"defined-before", N, "a library stands before libscprof.so",
	 "Calls of these functions go there, and only what it passes on is recorded here.",
	 "A library in LD_PRELOAD may come after libscprof.so, as `scprof run` has it."},
	{"states-check", N, "calls and the time between them do not add up to the CPU time",
	 "On the CPU, runnable and asleep may be off by as much.",
	 "--states exact reads all switches. Beside other load, give the program CPUs of its own."},
	{"no-switch-detector", N, "where time went is known of a sample, or in part",
	 "Means on a CPU and asleep have wider intervals. Without the kernel's run delay, waiting "
	 "for a CPU counts as asleep.",
	 "`scprof doctor` says why."},
	{"others-busy", N, "other tasks, or the host, used the CPUs meanwhile",
	 "What calls caused in that time was charged to them, and costs by displacement are of "
	 "undisturbed windows only. It is made up for as if it had been like that in the rest of "
	 "the time. Where that share could not be told (no perf counters), it is missing in the "
	 "costs by displacement.",
	 "Measure on CPUs that are left alone."},

	{"clock-synchronous", D, "calls begin at preferred phases of the clock's tick",
	 "So ticks do not fall into them at random. No interval is reliable, and the mean may be "
	 "wrong by up to a tick.",
	 "Use the page clock (-c page), whose ticks are randomised, or a fast one."},
	{"too-few-independent-batches", D, "the run holds only a few independent parts",
	 "Calls depend on one another over a long time: bursts, phases of the program, short "
	 "threads unlike the others. The interval is widened by what that can hide, but so few "
	 "parts may not show all of it.",
	 "Run longer, or give several runs."},
	{"heavy-tail", D, "a few very long calls make up the mean",
	 "More of them may not have been seen: the true mean can lie above the interval.",
	 "Run longer, or look at the percentiles."},
	{"warm-up", D, "the first calls differ from all later ones",
	 "Caches, connections, or code that was compiled. They are shown beside the row and are "
	 "not in its mean.",
	 "--include-warm-up puts them back."},
	{"drift", D, "the mean changed while the program ran",
	 "So it depends on when and how long one looks.",
	 "Measure the part of interest, or each part."},
	{"two-modes", D, "durations form two groups with a gap between them",
	 "They are bimodal, and the mean describes neither group.",
	 "Look at the percentiles, or separate the groups by call path or by size."},
	{"outliers", D, "a few outliers take a tenth of the time or more",
	 "They are in the mean. What they wait for is not what the other calls do.",
	 "`--slowest 20` shows them."},
	{"first-call", D, "the first call took far longer than the others",
	 "It is in the mean. A note at the row says how long it took; no warning follows.", ""},
	{"few-calls", D, "the interval takes a few calls for independent",
	 "So few calls cannot show whether they depend on one another. A note at the row says so; "
	 "no warning follows.",
	 "Run longer."},
	{"unknown-dependence", D, "a percentile's limits take calls for independent",
	 "How calls beyond the percentile depend on one another is not known. JSON says so of each "
	 "percentile.",
	 "Run longer."},
	{"too-few-independent-bursts", D, "the calls beyond a percentile came in few bursts",
	 "So few bursts tell little of how much others would differ: the limits may be too narrow. "
	 "JSON says so of each percentile.",
	 "Run longer."},
	{"cut-paths", P, "call paths lack their outer callers",
	 "Unwinding ended at a frame without unwind information (generated code, hand-written "
	 "assembly), or the path is deeper than what is kept. Sites that differ only there are one "
	 "row. Times are not affected.",
	 ""},
	{"python-cut", P, "call paths lack Python frames",
	 "The interpreter's frames could not be read, or it is not known where they belong. scprof "
	 "reads CPython 3.8 to 3.15, as they are built ordinarily. A note stands at such rows; "
	 "sites that differ only there are one row. Times are not affected.",
	 ""},
	{"heuristic-paths", P, "call paths have frames to which no unwind table led",
	 "A chain of frame pointers, or libunwind, led there: \"?\" stands before them. Such a "
	 "frame may be wrong. Times are not affected.",
	 ""},
	{"site-costs-apart", P, "costs by displacement are of single call paths of one run",
	 "No row of this report is one path of one run, or there are several runs with --displace. "
	 "So none is shown.",
	 "--by path shows them, for the profile of one run."},
	{"missing-module", P, "a module is not here, or not the build that ran",
	 "Its frames have no names, and in a comparison callers in it cannot be distinguished. For "
	 "another user's profile, root opens only root's own files that everybody may read.",
	 "Restore it, or name a directory that has it in SCPROF_DEBUG_PATH, or a server in "
	 "DEBUGINFOD_URLS: its build-id will prove it."},
	{"unnamed-code", P, "call paths go through JavaScript or Java without names",
	 "V8 and the JVM compile functions in memory, and tell nobody their names unless they are "
	 "asked to. Paths through Java may lack frames.",
	 "They have options for that: node --perf-basic-prof --interpreted-frames-native-stack, "
	 "java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit."},
	{"names-left-out", P, "names or lines were left out",
	 "Files are larger together than what is read for one profile, or one is larger than "
	 "ulimit -f allows. A map of generated code (/tmp/perf-PID.map) is left out where it is "
	 "older than the process, another user's, or contradicts another one.",
	 "Report on one process at a time, or put copies of large files without debug information "
	 "(strip --strip-debug) into a directory of SCPROF_DEBUG_PATH."},
	{"not-sampled", O, "what was computed between calls is not known",
	 "The kernel takes samples where kernel.perf_event_paranoid is 2 or less, or with "
	 "CAP_PERFMON. They are of whole runs, and all profiles of a report must have one rate. "
	 "Calls are not affected.",
	 "`scprof doctor` says what forbids it, and --sample off asks for none."},
	{"attached", O, "recording began in a process that ran",
	 "What had happened before is not in the profile, nor are constructors and calls that were "
	 "going on then. Calls are seen where they go by a slot of the dynamic linker. Those that "
	 "libc makes to itself do not, nor those through pointers that the program had fetched "
	 "before.",
	 "Where that matters, start the program with `scprof run`."},
};

const size_t warning_codes_count = sizeof(warning_codes) / sizeof(*warning_codes);

const struct warning_code *warning_codes_find(const char *code)
{
	for (size_t i = 0; i < warning_codes_count; i++)
		if (!strcmp(warning_codes[i].code, code))
			return &warning_codes[i];
	return NULL;
}
