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
	 "They were made before scprof was ready, or in a signal handler that interrupted it or "
	 "had hardly any stack. They are in no row; the means of the others are not "
	 "affected. In a comparison, differences in the number of calls may be theirs.",
	 ""},
	{"calls-uncopied", N, "calls of selected functions were passed through without being timed",
	 "scprof could not tell which part of the caller's stack is arguments, and it was too "
	 "large to copy. The calls are in no row.",
	 "Install the debug information of the function's library, or leave the function out of "
	 "-s."},
	{"overflow", N, "calls found no room in the profile",
	 "They are counted by function, in the rows \"(no room: path not kept)\", without "
	 "interval. `scprof diff` does not compare them.",
	 "Free space where the profile is written, or raise its size limit, and run again."},
	{"calls-abandoned", N, "calls never returned to their caller",
	 "A longjmp, an exception, a cancellation or the end of the thread left them, or they were "
	 "regions that never ended. They are in no row, and their time lies in the gap that "
	 "follows.",
	 ""},
	{"ends-unmatched", N, "ends of regions had no beginning in their thread",
	 "SCPROF_END came without SCPROF_BEGIN, or more often than that. The regions around them "
	 "may have ended too early.",
	 "Look for paths through the program that end a region twice."},
	{"unclassified", N, "calls on descriptors of unknown kind were not recorded",
	 "A sandbox prevents asking what the descriptors are. Sites on such descriptors show too "
	 "few calls.",
	 ""},
	{"stopped", N, "processes forbade what the clock is read with",
	 "A seccomp filter or its strict mode, or prctl PR_SET_TSC, did. Nothing was recorded in "
	 "them from then on, not even how they ended. Totals miss those calls; what was recorded "
	 "before is exact.",
	 ""},
	{"sandboxed", N, "the program installed a seccomp filter",
	 "From then on scprof made no system call: new call paths may be cut or counted as "
	 "overflow.",
	 ""},
	{"slots-failed", N, "slots could not be written",
	 "Calls through these words of the program's objects went by unseen: the kernel refused to "
	 "make the memory writable. They are in no row.",
	 ""},
	{"not-ended", N, "nobody saw processes end",
	 "All calls that had returned are here; one that had not is missing.", ""},
	{"torn-entries", N, "sums were being changed when they were read",
	 "The process was killed meanwhile, or read while it ran. Each of the sums may be off by "
	 "one call.",
	 ""},
	{"time-check", N, "calls and gaps do not add up to the threads' time",
	 "They should agree exactly: a live program moved on while it was read, or records are "
	 "missing. Totals and shares may be off by that much; means of single sites are not.",
	 ""},
	{"clock-fallback", N, "the clock that was asked for cannot be used here",
	 "Another one was used instead.", "`scprof clocks` says why."},
	{"rate-uncertain", N, "the rate of the clock is not well known",
	 "The run was short. All times may be off by that factor together, beyond the intervals. "
	 "Comparisons within this profile are not affected.",
	 "A longer run is surer."},
	{"tick-lengthened", N, "a longer tick was used than was asked for",
	 "Ticks may take 1 % of a CPU.", "--exact-tick keeps the shorter one."},
	{"ticker-costly", N, "the ticker takes more than 1 % of a CPU",
	 "Each tick takes that time from a thread on its CPU.",
	 "Without --exact-tick the tick is made longer."},
	{"ticker-late", N, "ticks of the page clock came late",
	 "Time is moved from where a tick was due to where it came.",
	 "Leave the ticker a CPU, or use a longer tick (-d)."},
	{"ticker-near", N, "the page clock's ticker often ran on the threads' CPUs",
	 "Each of its ticks took the CPU from the thread there. Calls that kept their CPU saw too "
	 "few "
	 "ticks, so their mean is not told. The means of all calls are right.",
	 "Give the program and the ticker different CPUs (taskset), or use -c tsc."},
	{"slow-clock-biased", N, "the slow clock misses the fast one's means",
	 "That happens more often than chance would have it: the ticks do not fall at random into "
	 "this program. It shares its CPUs with the ticker, whose ticks slow the calls after them, "
	 "or it is synchronous with the ticks. Trust MEAN, not SLOW.",
	 "Leave the ticker a CPU, or use a longer tick (-d)."},
	{"filter-ignored", N, "a filter that was asked for is not in force",
	 "Calls that it would have left out are in the rows, or none is.", ""},
	{"filters-differ", N, "the profiles were not recorded with the same filters",
	 "Some leave out what others have (--below, --thread, --depth, --after, ...). Counts, "
	 "totals and shares of them together are of no run that there was. What a comparison finds "
	 "on one side only may be the filters' doing.",
	 "Record all of them with the same."},
	{"below-undecided", N, "it is not known whether calls are below a function of --below",
	 "The stack could not be followed far enough (code without unwind information, a small "
	 "stack). The calls are left out.",
	 ""},
	{"clocks-differ", N, "the sides of a comparison were timed with different clocks",
	 "They disturb the program differently, and a small change may be theirs.",
	 "Record both with the same clock and tick (-c, -d)."},
	{"one-run-a-side", N, "one run a side cannot tell a change from what the machine did",
	 "There are too few other sites of their function to learn that from. Only large changes "
	 "count there.",
	 "Give several runs a side, recorded in turn: scprof diff BASE... -- NEW..."},
	{"symbols-ignored", N, "the functions of SCPROF_SYMBOLS were not timed",
	 "A bare LD_PRELOAD needs stubs for them.",
	 "If the names are right, use `scprof run -s`. Or write their stubs with `scprof symbols "
	 "--stubs FILE` and put FILE before libscprof.so in LD_PRELOAD."},
	{"defined-before", N, "a library stands before libscprof.so",
	 "Calls of these functions go there, and only what it passes on is recorded here.",
	 "A library in LD_PRELOAD may come after libscprof.so, as `scprof run` has it."},
	{"detectors-mixed", N,
	 "the profiles were not all recorded with the same detector of switches",
	 "Where time went is known of rows that one detector saw.", "Report them apart."},
	{"states-check", N, "calls and the time between them do not add up to the CPU time",
	 "On the CPU, runnable and asleep may be off by as much.",
	 "Run longer, or with --states exact."},
	{"switches-missed", N, "the detector of switches missed some",
	 "It was given up, and what it saw before is left out.", ""},
	{"no-switch-detector", N, "which calls lost their CPU is known of a random sample only",
	 "Means on a CPU and asleep have wider intervals.", "`scprof doctor` says why."},
	{"run-delay-unknown", N, "how long threads waited for a CPU could not be read",
	 "/proc/thread-self/schedstat has it, but not here. That time counts as asleep.", ""},
	{"states-sandboxed", N, "the program forbade system calls",
	 "From then on no call was asked where its time went.", ""},
	{"others-busy", N, "other tasks used the CPUs meanwhile",
	 "What calls caused in that time was charged to them. It is made up for as if it had been "
	 "like that in the rest of the time. Where that share could not be told (no perf "
	 "counters), it is missing in the costs by displacement.",
	 "Measure on CPUs that are left alone."},
	{"too-disturbed", N, "few of the fluid's windows were undisturbed",
	 "Costs by displacement are of those only.", "Measure on CPUs that are left alone."},
	{"costs-disagree", N, "true costs are less than charged and uncharged time together",
	 "That is beyond both intervals. The program may do less between calls when it makes more "
	 "of them, or one of the two is wrong. The calls themselves were charged as much.",
	 ""},

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

	{"slots-changed", P, "slots were changed by somebody else meanwhile",
	 "Another tool, or the program, wrote to words that led to scprof. They were left as they "
	 "are.",
	 ""},
	{"cut-paths", P, "call paths lack their outer callers",
	 "Unwinding ended at a frame without unwind information (generated code, hand-written "
	 "assembly). Sites that differ only there are one row. Times are not affected.",
	 ""},
	{"deep-paths", P, "call paths are deeper than what is kept",
	 "The outer frames are not kept, and sites that differ only there are one row. Times are "
	 "not affected.",
	 ""},
	{"python-not-read", P, "the Python interpreter is not read",
	 "scprof reads CPython 3.8 to 3.13, as they are built ordinarily. Of others, call paths "
	 "have "
	 "the interpreter's own frames. Times are not affected.",
	 ""},
	{"python-cut", P, "call paths lack Python frames",
	 "The interpreter's frames could not be read, or it is not known where they belong. A note "
	 "stands at such rows; sites that differ only there are one row. Times are not affected.",
	 ""},
	{"heuristic-paths", P, "call paths have frames to which no unwind table led",
	 "A chain of frame pointers, or libunwind, led there: \"?\" stands before them. Such a "
	 "frame may be wrong. Times are not affected.",
	 ""},
	{"histograms-lost", P, "blocks of histograms or batches found no room",
	 "Percentiles of some sites miss calls. Means and totals are not affected.", ""},
	{"modules-lost", P, "loaded objects could not be noted",
	 "Frames in them show addresses only.", ""},
	{"slowest-unread", P, "what was asked of the slowest calls could not be read",
	 "SCPROF_SLOWEST, SCPROF_SLOWER_THAN or SCPROF_SLOWEST_OF is wrong, and no single calls "
	 "were kept.",
	 "Write a number from 1 to 1000, and a duration with its unit: SCPROF_SLOWEST=20 "
	 "SCPROF_SLOWER_THAN=1ms."},
	{"slowest-mixed", P, "the profiles kept different numbers of slowest calls",
	 "They were not all recorded with the same --slowest and --slower-than. Slow calls of "
	 "those with less may be missing from the list.",
	 "Record them alike to compare."},
	{"slowest-lost", P, "slow calls found no room",
	 "They came on a signal handler's small stack, or in a profile that could not grow: some "
	 "may be missing from the list.",
	 ""},
	{"site-costs-apart", P, "costs by displacement are of single call paths",
	 "No row of this report is one path of one run, so none is shown.",
	 "--by path shows them, for the profile of one run."},
	{"accounts-apart", P, "the profile holds several accounts of the CPUs' time",
	 "There is one for each run with --displace. None is of them all, so none is shown.",
	 "Report the profile of one run: it has its own."},
	{"vague-paths", P, "callers in a module cannot be distinguished",
	 "The two sides have different builds of it, or builds without a build-id, and one file is "
	 "no longer there. Rows that differ only there are one.",
	 "Keep the old file, or its debug information, where the profile names it."},
	{"stale-module", P, "a module is not the build that ran",
	 "Its build-id differs, so its frames have no names.",
	 "Restore that build, or install its debug information."},
	{"guarded-module", P, "a module of another user's profile was not opened",
	 "For such a profile, root opens only root's own files that everybody may read. They must "
	 "have its build-id. Frames in the module have no names.",
	 "Report as that user to see names."},
	{"missing-module", P, "a module is not here any more", "Its frames have no names.",
	 "Name a directory that has it in SCPROF_DEBUG_PATH, or a server in DEBUGINFOD_URLS: its "
	 "build-id will prove it."},
	{"map-refused", P, "a map of generated code was not used",
	 "It is older than the process, or does not belong to the profile's owner. Its code is "
	 "shown as addresses.",
	 ""},
	{"map-ambiguous", P, "the processes' maps of generated code differ",
	 "The maps (/tmp/perf-PID.map) know different names for the same address, or several "
	 "functions lay there one after another. Such frames are shown as addresses.",
	 "Report on one process at a time to see names."},
	{"unnamed-javascript", P, "call paths go through JavaScript without names",
	 "V8 compiles functions in memory, and tells nobody their names unless it is asked to.",
	 "Start node with --perf-basic-prof --interpreted-frames-native-stack to see JavaScript "
	 "functions."},
	{"unnamed-java", P, "call paths go through Java without names",
	 "The JVM compiles methods in memory, keeps no frame pointers in them, and tells nobody "
	 "their names unless it is asked to. Such paths may lack frames.",
	 "Start java with -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
	 "-XX:+DumpPerfMapAtExit to see Java methods."},
	{"names-left-out", P, "names or lines were left out",
	 "The modules, their debug information and maps are larger together than what is read for "
	 "one profile. Or a file is larger than ulimit -f allows.",
	 "Give fewer profiles at a time, or put copies of large files without debug information "
	 "(strip --strip-debug) into a directory of SCPROF_DEBUG_PATH."},
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
