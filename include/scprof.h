// SPDX-License-Identifier: Apache-2.0
/* Name a piece of your own program, and scprof reports what it costs.
 *
 * C and C++, GCC and clang, Linux. This header is all there is: nothing to link. Under libscprof.so
 * (`scprof run`, or LD_PRELOAD) the regions appear in the report as functions of the library
 * "region"; without it a marker is a load and a branch that is not taken. In a statically
 * linked program, and with SCPROF_OFF defined, markers do nothing.
 *
 *   SCPROF_BEGIN("parse");          a region, from here ...
 *   SCPROF_END;                     ... to here: ends the innermost open one of this thread
 *   SCPROF_END_OF("parse");         ends the innermost of that name: regions may overlap
 *   SCPROF_SCOPE("parse");          from here to the end of the block, however that is left:
 *                                   return, goto, break, a C++ exception, and thread
 *                                   cancellation where the compiler unwinds (-fexceptions).
 *                                   What longjmp leaves is given up.
 *   SCPROF_POINT("sent");           a point: the time from the thread's point before it is an
 *                                   interval of its own, "received -> sent". One clock reading
 *                                   ends one interval and begins the next, so that intervals
 *                                   add up exactly. From the thread's first point to its next
 *                                   passing is a cycle, recorded as "received -> received (cycle)".
 *   SCPROF_POINT_STOP;              the chain ends; the next point begins another one
 *   SCPROF_STOP;                    nothing is recorded any more in this process, calls of
 *                                   functions included, until
 *   SCPROF_START;                   (`scprof run --stopped` and SCPROF_STOPPED=1 begin stopped)
 *
 * Names are string literals. SCPROF_BEGIN_NAMED(expression), SCPROF_SCOPE_NAMED,
 * SCPROF_END_OF_NAMED and SCPROF_POINT_NAMED take any string, which is copied, and looked up each
 * time. There may be 4096 names, pairs of points included, each of at most 200 bytes; others are
 * counted only.
 *
 * A region that is never ended is not recorded, and counts as abandoned. An END without a BEGIN
 * does nothing, and is counted. Markers may stand anywhere: in signal handlers, destructors,
 * code that is loaded later. Regions and points belong to the thread that passes them; a
 * coroutine must not change threads or stacks inside a region. 8192 regions can be open at once. */
#ifndef SCPROF_H
#define SCPROF_H

#if defined(__linux__) && defined(__ELF__) && defined(__GNUC__) && !defined(SCPROF_OFF)
#define SCPROF_ON 1
#else
#define SCPROF_ON 0
#endif

#if SCPROF_ON

/* What a marker's place remembers; zero but for the name. */
struct scprof_site {
	const char *name;
	unsigned long fixed;	/* 1: the name is a literal, and this is static */
	unsigned long cache[6]; /* libscprof.so's */
};

/* Version 1 of what libscprof.so offers. Later libraries append; what does not fit gets another
 * symbol. `bytes` is the size of the library's. */
struct scprof_api {
	unsigned long bytes;
	void (*begin)(struct scprof_site *site);
	void (*end)(void);
	void (*end_of)(struct scprof_site *site);
	unsigned long (*enter)(struct scprof_site *site); /* 0: not recorded */
	void (*leave)(unsigned long scope);
	void (*point)(struct scprof_site *site);
	void (*point_stop)(void);
	void (*start)(void);
	void (*stop)(void);
	/* For blocks that keep to no stack, as in generators and coroutines: they end in any order,
	 * each by the token that no other open block of its thread has. `failed`: by an exception.
	 * Nothing is recorded while *groups & wanted is 0. */
	void (*open)(struct scprof_site *site, unsigned token);
	void (*close)(unsigned token, int failed);
	const unsigned *groups;
	unsigned long wanted;
};

#ifdef __cplusplus
extern "C" {
#endif
extern const struct scprof_api scprof_regions_1 __attribute__((weak, visibility("default")));
#ifdef __cplusplus
}
#endif

#define SCPROF_INLINE                                                                              \
	static __inline__ __attribute__((always_inline, unused, no_instrument_function))

/* NULL without the library. Through the global offset table, because a linker decides any other
 * reference of a position-dependent program to a weak symbol permanently; each time, because the
 * library may be put into a process that is in a loop. */
SCPROF_INLINE const struct scprof_api *scprof_find(void)
{
#ifdef __x86_64__
	const struct scprof_api *api;
	__asm__ volatile(".weak scprof_regions_1\n\tmovq scprof_regions_1@GOTPCREL(%%rip), %0"
			 : "=r"(api));
	return api;
#else
	return &scprof_regions_1;
#endif
}

/* Calls are made in the macros, so that debug information has them on the program's own lines. */
#define SCPROF_PRESENT	   __builtin_expect(scprof_find() != 0, 0)
#define SCPROF_CALL(call)  (SCPROF_PRESENT ? scprof_find()->call : (void)0)
#define SCPROF_ENTER(site) (SCPROF_PRESENT ? scprof_find()->enter(&(site)) : 0ul)

/* Of a scope that is not recorded: 0. */
SCPROF_INLINE void scprof_leave(const unsigned long *scope)
{
	if (__builtin_expect(*scope != 0, 0))
		scprof_find()->leave(*scope);
}

#define SCPROF_SITE_OF(name, fixed)                                                                \
	{                                                                                          \
		name, fixed,                                                                       \
		{                                                                                  \
			0, 0, 0, 0, 0, 0                                                           \
		}                                                                                  \
	}
#define SCPROF_SITE(name)	SCPROF_SITE_OF("" name "", 1)
#define SCPROF_SITE_NAMED(name) SCPROF_SITE_OF((name), 0)
#define SCPROF_AT(marker, storage, site)                                                           \
	do {                                                                                       \
		storage struct scprof_site scprof_here = site;                                     \
		SCPROF_CALL(marker(&scprof_here));                                                 \
	} while (0)

#define SCPROF_BEGIN(name)	  SCPROF_AT(begin, static, SCPROF_SITE(name))
#define SCPROF_BEGIN_NAMED(name)  SCPROF_AT(begin, , SCPROF_SITE_NAMED(name))
#define SCPROF_END		  SCPROF_CALL(end())
#define SCPROF_END_OF(name)	  SCPROF_AT(end_of, static, SCPROF_SITE(name))
#define SCPROF_END_OF_NAMED(name) SCPROF_AT(end_of, , SCPROF_SITE_NAMED(name))
#define SCPROF_POINT(name)	  SCPROF_AT(point, static, SCPROF_SITE(name))
#define SCPROF_POINT_NAMED(name)  SCPROF_AT(point, , SCPROF_SITE_NAMED(name))
#define SCPROF_POINT_STOP	  SCPROF_CALL(point_stop())

/* An older library has no such functions: then nothing stops. */
#define SCPROF_CONTROL(function)                                                                   \
	(SCPROF_PRESENT && scprof_find()->bytes > __builtin_offsetof(struct scprof_api, function)  \
		 ? scprof_find()->function()                                                       \
		 : (void)0)
#define SCPROF_START SCPROF_CONTROL(start)
#define SCPROF_STOP  SCPROF_CONTROL(stop)

#define SCPROF_JOIN_(a, b) a##b
#define SCPROF_JOIN(a, b)  SCPROF_JOIN_(a, b)

#ifdef __cplusplus
namespace scprof
{
/* A region as long as this object: scprof::scope guard("name"), with any string. */
class scope
{
	unsigned long open_;
	scope(const scope &);
	scope &operator=(const scope &);

      public:
	__attribute__((always_inline, no_instrument_function)) explicit scope(unsigned long open)
	    : open_(open)
	{
	}
	__attribute__((always_inline, no_instrument_function)) explicit scope(const char *name)
	    : open_(0)
	{
		scprof_site site = SCPROF_SITE_NAMED(name);
		open_ = SCPROF_ENTER(site);
	}
	__attribute__((always_inline, no_instrument_function)) ~scope()
	{
		scprof_leave(&open_);
	}
};
} // namespace scprof
#define SCPROF_GUARD(n)                                                                            \
	::scprof::scope SCPROF_JOIN(scprof_scope_, n)(SCPROF_ENTER(SCPROF_JOIN(scprof_site_, n)))
#else
#define SCPROF_GUARD(n)                                                                            \
	unsigned long SCPROF_JOIN(scprof_scope_, n)                                                \
		__attribute__((cleanup(scprof_leave), unused)) =                                   \
			SCPROF_ENTER(SCPROF_JOIN(scprof_site_, n))
#endif

/* Two declarations: not the body of an `if` without braces. */
#define SCPROF_SCOPE_(name, n)                                                                     \
	static struct scprof_site SCPROF_JOIN(scprof_site_, n) = SCPROF_SITE(name);                \
	SCPROF_GUARD(n)
#define SCPROF_SCOPE_NAMED_(name, n)                                                               \
	struct scprof_site SCPROF_JOIN(scprof_site_, n) = SCPROF_SITE_NAMED(name);                 \
	SCPROF_GUARD(n)
#define SCPROF_SCOPE_NAMED(name) SCPROF_SCOPE_NAMED_(name, __COUNTER__)
#define SCPROF_SCOPE(name)	 SCPROF_SCOPE_(name, __COUNTER__)

#else /* !SCPROF_ON */

#define SCPROF_BEGIN(name)	  ((void)0)
#define SCPROF_BEGIN_NAMED(name)  ((void)0)
#define SCPROF_END		  ((void)0)
#define SCPROF_END_OF(name)	  ((void)0)
#define SCPROF_END_OF_NAMED(name) ((void)0)
#define SCPROF_SCOPE(name)	  ((void)0)
#define SCPROF_SCOPE_NAMED(name)  ((void)0)
#define SCPROF_POINT(name)	  ((void)0)
#define SCPROF_POINT_NAMED(name)  ((void)0)
#define SCPROF_POINT_STOP	  ((void)0)
#define SCPROF_START		  ((void)0)
#define SCPROF_STOP		  ((void)0)

#endif

#endif
