// SPDX-License-Identifier: GPL-3.0-or-later
#include "collector/select/stack_arguments.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>

#include "include/scprof_selected.h"
#include "profile/base/array.h"
#include "profile/base/words.h"

/* All of their parameters fit into registers. */
static const char standard[] =
	" malloc calloc realloc free reallocarray posix_memalign aligned_alloc memalign valloc "
	"malloc_usable_size memcpy memmove memset memcmp memchr memrchr strlen strnlen strcmp "
	"strncmp strcasecmp strncasecmp strcpy strncpy strcat strncat strchr strrchr strstr strdup "
	"strndup strtol strtoul strtoll strtoull strtod strtof atoi atol atof qsort qsort_r "
	"bsearch fopen fopen64 fclose fread fwrite fflush fputs fputc fgets fgetc puts putchar "
	"getc putc getline getdelim ungetc vprintf vfprintf vsprintf vsnprintf vasprintf getenv "
	"setenv unsetenv rand random time gettimeofday localtime localtime_r gmtime gmtime_r "
	"mktime strftime opendir readdir readdir64 closedir stat fstat lstat unlink rename mkdir "
	"rmdir access mmap mmap64 munmap mprotect madvise msync getpid sched_yield sigaction "
	"pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_unlock "
	"pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock pthread_cond_wait "
	"pthread_cond_timedwait pthread_cond_clockwait pthread_cond_signal pthread_cond_broadcast "
	"pthread_join pthread_create pthread_self pthread_once pthread_getspecific "
	"pthread_setspecific pthread_barrier_wait pthread_spin_lock pthread_spin_unlock sem_wait "
	"sem_trywait sem_timedwait sem_clockwait sem_post sin cos tan exp log log2 log10 pow sqrt "
	"floor ceil fmod sinf cosf expf logf powf sqrtf ";

static const struct {
	const char *library, *names;
} libraries[] = {
	{"libssl.so", " SSL_read SSL_read_ex SSL_write SSL_write_ex SSL_peek SSL_do_handshake "
		      "SSL_connect SSL_accept SSL_shutdown SSL_new SSL_free "},
	{"libgnutls.so", " gnutls_record_recv gnutls_record_send gnutls_handshake gnutls_bye "},
	{"libz.so", " deflate inflate deflateInit_ inflateInit_ inflateInit2_ deflateEnd "
		    "inflateEnd deflateReset inflateReset compress compress2 uncompress "
		    "uncompress2 crc32 adler32 gzread gzwrite gzopen gzclose "},
	{"libsqlite3.so", " sqlite3_prepare_v2 sqlite3_prepare_v3 sqlite3_step sqlite3_exec "
			  "sqlite3_reset sqlite3_finalize sqlite3_open_v2 sqlite3_close_v2 "},
	{"libpq.so",
	 " PQexec PQprepare PQgetResult PQconnectdb PQconnectdbParams PQsendQuery PQconsumeInput "},
};

bool stack_arguments_has_none_in(const char *name, const char *soname)
{
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++)
		if (!strncmp(soname, libraries[i].library, strlen(libraries[i].library)))
			return words_have(libraries[i].names, " ", name);
	return false;
}

/* One parameter, [at, end): does it take one register, and which kind does it take? */
static bool is_simple(const char *at, const char *end, unsigned *general, unsigned *vector)
{
	static const char integers[] =
		" bool char signed|char unsigned|char wchar_t char8_t char16_t char32_t short "
		"unsigned|short int unsigned|int long unsigned|long long|long unsigned|long|long ";
	char word[32] = "";
	size_t length = (size_t)(end - at);

	/* A pointer to a member function, "(C::*)", takes two. */
	if (end[-1] == '*' || end[-1] == '&' || memmem(at, length, "(*)", 3)) {
		++*general;
		return true;
	}
	for (size_t i = 0; i < length && i < sizeof(word) - 1; i++)
		word[i] = at[i] == ' ' ? '|' : at[i];
	if (length >= sizeof(word) || !length)
		return false;
	if (!strcmp(word, "double") || !strcmp(word, "float")) {
		++*vector;
		return true;
	}
	++*general;
	return words_have(integers, " ", word);
}

/* Where the last list of parameters begins; *end: its ')'. */
static const char *parameters(const char *full, const char **end)
{
	int depth = 0;

	*end = strrchr(full, ')');
	for (const char *at = *end; at && at >= full; at--) {
		depth += (*at == ')') - (*at == '(');
		if (!depth)
			return at;
	}
	return NULL;
}

/* A static member looks like another one, a constructor may have a hidden parameter, and a result
 * may need a pointer to its place: two registers may hold what the name does not show. */
static bool shows_none(const char *full)
{
	unsigned general = 2, vector = 0;
	const char *end, *at = parameters(full, &end);
	int depth = 0;

	if (!at || memmem(full, (size_t)(at - full), "(*", 2) ||
	    memmem(full, (size_t)(at - full), "(&", 2))
		return false;
	if (end == at + 1)
		return true;
	for (const char *from = ++at; at <= end; at++) {
		if (strchr("<([{", *at) || (strchr(">)]}", *at) && at < end))
			depth += strchr("<([{", *at) ? 1 : -1;
		if (at < end && (*at != ',' || depth))
			continue;
		if (!is_simple(from, at, &general, &vector))
			return false;
		from = at + 2;
	}
	return general <= 6 && vector <= 8;
}

bool stack_arguments_has_none(const char *name, const char *shown)
{
	if (strncmp(name, "_Z", 2) != 0)
		return words_have(standard, " ", name);
	return strncmp(shown, "_Z", 2) != 0 && shows_none(shown);
}

/* A symbol of the library that is looked at, by its address. */
struct wanted {
	uint64_t address;
	struct stack_arguments *found;
};

struct search {
	struct wanted *wanted; /* in the order of addresses */
	size_t count;
};

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

ARRAY_COMPARE(by_address, struct wanted, ARRAY_ORDER(a->address, b->address))

/* The first symbol at `from` or above. */
static size_t first_at(const struct search *s, uint64_t from)
{
	size_t i;

	BISECT(i, s->count, s->wanted[i].address < from);
	return i;
}

static bool has_wanted(const struct search *s, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &from, &to)) > 0) {
		size_t i = first_at(s, from);

		if (i < s->count && s->wanted[i].address < to)
			return true;
	}
	return false;
}

static void take_function(const struct search *s, Dwarf_Die *function)
{
	Dwarf_Addr at;
	uint32_t words;

	if (dwarf_lowpc(function, &at))
		return;
	size_t i = first_at(s, at);
	if (i == s->count || s->wanted[i].address != at || !stack_types_words(function, &words))
		return;
	for (; i < s->count && s->wanted[i].address == at; i++)
		*s->wanted[i].found = (struct stack_arguments){
			SCP_SELECTED_STACK | SCP_SELECTED_STACK_HERE, words};
}

/* Functions are children of the unit, or of a namespace. */
static void take_functions(const struct search *s, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	for (int more = dwarf_child(parent, &die); more == 0; more = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			take_function(s, &die);
		else if (dwarf_tag(&die) == DW_TAG_namespace && depth < 32)
			take_functions(s, &die, depth + 1);
	}
}

static void search_units(const struct search *s, Dwfl_Module *module)
{
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		if (has_wanted(s, &die))
			take_functions(s, &die, 0);
}

static void search_library(const struct search *s, const char *path)
{
	char *urls = getenv("DEBUGINFOD_URLS");
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		return;
	urls = urls ? strdup(urls) : NULL;
	unsetenv("DEBUGINFOD_URLS"); /* the command is to start, not to wait for a server */
	dwfl_report_begin(dwfl);
	Dwfl_Module *module = dwfl_report_offline(dwfl, "", path, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (module)
		search_units(s, module);
	dwfl_end(dwfl);
	if (urls)
		setenv("DEBUGINFOD_URLS", urls, 1);
	free(urls);
}

void stack_arguments_find(const struct selection *c, struct stack_arguments *found)
{
	struct wanted *wanted = calloc(c->count + 1, sizeof(*wanted));

	for (size_t l = 0; wanted && l < c->libraries; l++) {
		struct search s = {.wanted = wanted};

		for (size_t i = 0; i < c->count; i++) {
			const struct selected_symbol *one = &c->symbol[i];

			if (one->library != &c->library[l])
				continue;
			if (stack_arguments_has_none(one->name, one->shown))
				found[i].flags = SCP_SELECTED_STACK;
			else if (stack_arguments_has_none_in(one->name, one->library->soname))
				found[i].flags = SCP_SELECTED_STACK | SCP_SELECTED_STACK_HERE;
			else if (one->address)
				wanted[s.count++] = (struct wanted){one->address, &found[i]};
		}
		ARRAY_SORT(wanted, s.count, by_address);
		/* the rules of another processor are others */
		if (s.count && c->program.machine == EM_X86_64)
			search_library(&s, c->library[l].path);
	}
	free(wanted);
}
