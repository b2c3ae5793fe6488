// SPDX-License-Identifier: GPL-3.0-or-later
/* Codes are for scripts, sentences for people. */
#include "collector/displacement/displace.h"

static const struct {
	enum displace_warning warning;
	const char *code, *text;
} texts[] = {
	{DISPLACE_DISTURBED, "too-disturbed",
	 "over half of the fluid's time was in windows with stolen time, or interrupts seem to "
	 "have taken less during the run than in the idle phases, which is impossible: the machine "
	 "was not the same, and nothing can be said about unaccounted time"},
	{DISPLACE_SHORT, "too-short",
	 "the fluid had fewer than a dozen good windows a CPU: no interval can be given; let the "
	 "command do more (a second or longer), on CPUs that other tasks leave alone"},
	{DISPLACE_MOVED, "affinity-changed",
	 "the program left the CPUs of the set: what it did elsewhere displaced no fluid and is "
	 "missing from the account"},
	{DISPLACE_UNWAITED, "children-not-waited-for",
	 "processes of the program used CPU time and were not waited for: getrusage lacks them"},
	{DISPLACE_REMAINDER, "account-does-not-add-up",
	 "over 2 % of the CPUs' time is in no part of the account (short-lived other tasks, or "
	 "stolen time that is counted late)"},
	{DISPLACE_THROTTLED, "quota-throttled",
	 "the control group used up its quota and was stopped meanwhile"},
	{DISPLACE_HIDDEN, "processes-hidden",
	 "other users' processes are hidden (hidepid): their time is in the remainder"},
	{DISPLACE_CPU_LOST, "cpu-lost", "a CPU of the set was taken away during the run"},
	{DISPLACE_IRQ_MEASURED, "irq-time-measured",
	 "this kernel measures interrupt time and charges it to no task; stolen time cannot be "
	 "distinguished from it window by window"},
	{DISPLACE_NO_SWITCH_COST, "switch-cost-unknown",
	 "the CPUs were too busy to measure what a switch does to the fluid's balance: 4 us a "
	 "switch are in the error instead"},
	{DISPLACE_REST_UNKNOWN, "rest-unknown",
	 "other tasks left the fluid hardly any time before and after the run: interrupts that are "
	 "there without the program were not subtracted"},
	{DISPLACE_OTHERS, "others-busy",
	 "other tasks took over 5 % of the CPUs' time: interrupts that struck them are charged to "
	 "them, so the result is a lower bound, and what they themselves cause cannot be "
	 "distinguished "
	 "from the program's"},
	{DISPLACE_STEERED, "steered-away",
	 "received packets of an interface are steered to CPUs outside the set (rps_cpus): what "
	 "they cost there is not seen; add those CPUs to the set"},
	{DISPLACE_SIBLINGS, "siblings",
	 "hyper-threads of one core are in the set: beside the fluid, the program's own CPU time "
	 "is longer than alone (the fluid's length of a chunk follows what it gets)"},
	{DISPLACE_SPLIT, "core-split",
	 "a hyper-thread of a core in the set is outside it: what runs there changes how fast the "
	 "program runs, unseen"},
	{DISPLACE_GROUP, "other-group",
	 "the program is in another scheduling group than the fluid (a session of its own with "
	 "kernel.sched_autogroup_enabled, or a control group): there the fluid does not give way "
	 "to it but shares the CPU; start it without setsid"},
};

#define COUNT (sizeof(texts) / sizeof(*texts))

const char *displace_warnings_code(enum displace_warning one)
{
	for (size_t i = 0; i < COUNT; i++)
		if (texts[i].warning == one)
			return texts[i].code;
	return "unknown";
}

const char *displace_warnings_text(enum displace_warning one)
{
	for (size_t i = 0; i < COUNT; i++)
		if (texts[i].warning == one)
			return texts[i].text;
	return "";
}
