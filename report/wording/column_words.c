// SPDX-License-Identifier: GPL-3.0-or-later
/* A heading says the same in all tables that have it. */
#include "report/wording/column_words.h"

#include <string.h>
#include <strings.h>

const struct column_word column_words[] = {
	{"!", "the interval may be wrong: --full names the reason, which explain has words for"},
	{"~", "the mean hides something, such as a warm-up or outliers: --full says what"},
	{"^", "of top: the first calls, a warm-up, are not in the mean"},
	{"?", "not known; before a frame: no unwind table led to it, and it may be wrong"},
	{"%", "with --full: where the time of the row's calls went"},
	{"±?|+-?|+/-?", "too little is known for an interval"},
	{"...|…", "frames or letters are left out"},
	{"±|+-|+-%|±%", "half of an interval: the mean lies within, with 95 % confidence"},
	{"1 NS COSTS",
	 "ns of progress that each ns of the site's calls costs: 0 where something hides it"},
	{"10 % OFF BRINGS|30 %|REMOVED",
	 "more progress if the site's calls were so much shorter, or not made"},
	{"AFTER", "the call at whose end the time between two calls begins"},
	{"AGREES", "does the slow clock's interval contain the fast clock's mean?"},
	{"AT", "the site, and who calls it"},
	{"BEFORE", "the call at whose beginning the time between two calls ends"},
	{"BEGAN AT|ENDED AT", "since recording began"},
	{"BETWEEN", "the thread's time outside of recorded calls"},
	{"BOTH", "charged and uncharged time of a call"},
	{"BYTES|bytes/s", "what the calls moved; of top in the last interval, for each second"},
	{"CALLED FROM", "the call path from the call site on; \"<\" leads to the caller"},
	{"CALLS|CALLS NEW|COUNT|calls/s", "finished calls; /s: of the last interval, a second"},
	{"CALLS/UNIT", "calls of the site for each unit of progress"},
	{"CALLS NEEDED|CPU CALLS NEEDED", "calls that show a change as small as was asked for"},
	{"CHANGE", "of the mean from BASE to NEW, and its interval"},
	{"CHARGED", "CPU time of a call that the kernel charges to the program"},
	{"CPU|CPU NEW|CPU kept",
	 "of a row, the share of its time with a CPU (\"<\", \">\": a limit); "
	 "of a program, its CPU time; else a call that kept its CPU"},
	{"cpu/run/slp", "per cent of the calls' time on a CPU, runnable (waits for one), asleep"},
	{"COMPUTING",
	 "a function in which samples found the program outside of recorded calls; SHARE "
	 "is of the CPU time there"},
	{"CPU TIME", "of the row's calls together"},
	{"ELAPSED", "mean elapsed time of a call"},
	{"ENDED", "how the process ended"},
	{"EVIDENCE", "against no change, so far; its reciprocal is a p value at any time"},
	{"FUNCTION", "what is timed; [waits]: its work is to wait"},
	{"IN CALLS", "time in recorded calls; what is nested counts once"},
	{"INTERVAL", "the true mean lies within, with 95 % confidence; single calls scatter more"},
	{"LEFT OVER", "what the parts of a thread's time do not add up to"},
	{"MAX", "the longest"},
	{"MEAN|MEAN NEW|mean now|mean of the run",
	 "time of a call on average, without the time that "
	 "recording takes; now: of the last interval"},
	{"MORE CALLS|CPU MORE CALLS", "that the width asked for takes"},
	{"MOSTLY", "where most of the call's time went"},
	{"NESTED", "time of calls inside other recorded calls: it is in both"},
	{"ns/B", "time for each byte more"},
	{"NOW|CPU NOW|SEEN NOW|CPU SEEN NOW",
	 "the half width of the interval, or the smallest change "
	 "that is seen, with the calls so far"},
	{"OF TIME", "the share of all threads' time, of functions that wait"},
	{"OFF", "what recording costs a call, taken off its mean"},
	{"ON CPU", "mean time of a call with a CPU"},
	{"OUTCOME", "how the calls ended, if not completed: would-block, timeout, error, ..."},
	{"OWN MEAN", "of the calls without the recorded calls inside them"},
	{"P50|P99|P99.9", "so many per cent of the calls took so long or less"},
	{"A PASS", "time of the step in a pass through the loop"},
	{"#", "the row in the table of calls"},
	{"PID|TID", "number of the process, of the thread"},
	{"PROGRAM|PROCESSES|THREADS", "what was started, and how many there were"},
	{"Q", "of causal: the share of false ones among effects as sure as this"},
	{"RECORDING", "the library's own work where something is new"},
	{"SERVED", "threads that came and went in this row"},
	{"SHARE|SHARE NEW", "of the time; inside: it is another row's time, too"},
	{"SLOW", "mean by the slow clock of -c dual"},
	{"STEP|TIMES", "a call, or the time to the next; how often in a pass"},
	{"THREAD", "its name"},
	{"TIME|time/s",
	 "of the thread; of a plan, how long that takes; /s: in these calls, a second"},
	{"TOOK", "how long the call took"},
	{"TOTAL", "time of the row's calls together"},
	{"TRUE COST", "CPU time of a call with the interrupt work that it causes"},
	{"UNCHARGED", "interrupt work for a call that is charged to nobody, or to others"},
	{"VERDICT", "slower, faster, equal, or too little is known"},
	{"WAITING", "time in functions whose work is to wait: poll, accept, ..."},
	{"WALL", "wall-clock time"},
};

const size_t column_words_count = sizeof(column_words) / sizeof(*column_words);

const struct column_word *column_words_find(const char *name)
{
	size_t bytes = strlen(name);

	for (size_t i = 0; bytes && i < column_words_count; i++)
		for (const char *at = column_words[i].names; at; at = strchr(at, '|')) {
			at += *at == '|';
			if (!strncasecmp(at, name, bytes) && (!at[bytes] || at[bytes] == '|'))
				return &column_words[i];
		}
	return NULL;
}
