// SPDX-License-Identifier: Apache-2.0
/* Environment and /proc at start-up, by raw system calls into static memory. */
#include <sys/auxv.h>
#include <unistd.h>

#include "preload/process/settings.h"
#include "include/scprof_attach.h"
#include "preload/system/sys.h"

struct settings settings;

static struct {
	uint32_t bytes;
	bool given;
} order;
static LARGE char order_text[SCP_ATTACH_TEXT_BYTES];

bool settings_take_order(const char *text, uint32_t bytes)
{
	if (bytes > sizeof order_text || (bytes && text[bytes - 1]))
		return false;
	order.given = true;
	order.bytes = bytes;
	bytes_copy(order_text, text, bytes);
	return true;
}

extern void *__libc_stack_end __attribute__((weak));

/* Above the arguments, whose number glibc's stack begins with. */
char **settings_environment(void)
{
	return &__libc_stack_end ? (char **)__libc_stack_end + *(long *)__libc_stack_end + 2
				 : environ;
}

const char *settings_variable(const char *name)
{
	const char *value = NULL;
	/* An order is about a session: a handler of signals, and how the program began, are not. */
	if (order.given &&
	    (text_equal(name, "SCPROF_SIGNAL") || text_equal(name, "SCPROF_STOPPED")))
		return NULL;
	for (uint32_t at = 0; order.given && at < order.bytes && !value;) {
		value = text_value_of(order_text + at, name);
		at += (uint32_t)text_length(order_text + at) + 1;
	}
	for (char **e = order.given ? NULL : settings_environment(); e && *e && !value; e++)
		value = text_value_of(*e, name);
	return value && *value ? value : NULL;
}

/* *others: names that are none of these, of functions of libraries. "none" names nothing. */
static uint32_t parse_groups(const char *text, bool *others)
{
	static const struct {
		const char *name;
		uint32_t mask;
	} known[] = {{"socket", SCP_GROUP_SOCKET},
		     {"io", SCP_GROUP_IO},
		     {"wait", SCP_GROUP_WAIT},
		     {"resolve", SCP_GROUP_RESOLVE},
		     {"region", SCP_GROUP_REGION},
		     {"functions", SCP_GROUP_FUNCTIONS},
		     {"all", SCP_GROUP_ALL | SCP_GROUP_REGION},
		     {"none", 0},
		     {"", 0}};
	uint32_t mask = 0;
	*others = false;
	if (!text)
		return SCP_GROUP_SOCKET | SCP_GROUP_WAIT | SCP_GROUP_REGION;
	while (*text) {
		unsigned i = 0;
		size_t n = text_part(text, ',');
		while (i < sizeof known / sizeof *known &&
		       (text_length(known[i].name) != n || !bytes_equal(text, known[i].name, n)))
			i++;
		if (i < sizeof known / sizeof *known)
			mask |= known[i].mask;
		else
			*others = true;
		text += n + (text[n] == ',');
	}
	return mask;
}

/* SCPROF_OUT or the working directory, absolute: the program may change directory. */
static void set_directory(const char *out)
{
	size_t n = 0;
	if (!out || *out != '/') {
		long r = sys2(SYS_getcwd, settings.directory, sizeof settings.directory);
		n = r > 0 ? (size_t)r - 1 : 0;
		if (out)
			n = text_append(settings.directory, sizeof settings.directory, n, "/");
	}
	if (out)
		text_append(settings.directory, sizeof settings.directory, n, out);
}

static void set_program(void)
{
	long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", settings.exe,
		      sizeof settings.exe - 1);
	settings.exe[n > 0 ? n : 0] = 0;
	start_name_read(settings.program, sizeof settings.program, settings.exe);
	n = sys_read_file("/proc/self/cmdline", settings.argv, sizeof settings.argv);
	/* A program that shows a title leaves empty arguments behind it. */
	while (order.given && n > 1 && !settings.argv[n - 1] && !settings.argv[n - 2])
		n--;
	settings.argv_bytes = n > 0 ? (uint32_t)n : 0;
	if (n > 0)
		settings.argv[n - 1] = 0;
	settings.argc = 0;
	for (uint32_t i = 0; i < settings.argv_bytes; i++)
		settings.argc += settings.argv[i] == 0;
}

static void set_boot_id(void)
{
	char text[64];
	long n = sys_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
	unsigned nibble = 0;
	for (long i = 0; i < n && nibble < 32; i++) {
		int v = text_hex_digit(text[i]);
		if (v < 0)
			continue;
		settings.boot_id[nibble / 2] |= (uint8_t)(v << (nibble % 2 ? 0 : 4));
		nibble++;
	}
}

bool settings_read(bool has_stubs)
{
	/* A program with more rights than its caller has, who made its environment. */
	if (!order.given && getauxval(AT_SECURE))
		return false;
	const char *disable = settings_variable("SCPROF_DISABLE");
	if (disable && !text_equal(disable, "0"))
		return false;
	bool others;
	const char *symbols = settings_variable("SCPROF_SYMBOLS");
	settings.groups = parse_groups(settings_variable("SCPROF_GROUPS"), &others);
	if (has_stubs)
		settings.groups |= SCP_GROUP_SELECTED;
	settings.symbols_ignored = !has_stubs && (others || symbols);
	if (settings.symbols_ignored && !settings.groups) /* else nobody would be told */
		settings.groups = parse_groups(NULL, &others);
	if (!settings.groups)
		return false;
	slowest_settings_read(settings_variable("SCPROF_SLOWEST"),
			      settings_variable("SCPROF_SLOWER_THAN"),
			      settings_variable("SCPROF_SLOWEST_OF"), &settings.slowest);
	set_directory(settings_variable("SCPROF_OUT"));
	set_program();
	set_boot_id();
	return true;
}
