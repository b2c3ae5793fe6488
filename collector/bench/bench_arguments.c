// SPDX-License-Identifier: GPL-3.0-or-later
/* A word is understood completely or refused: a number that was truncated or overflowed would
 * measure another call than the one that was asked for. */
#include "collector/bench/bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/numerics/random.h"

#define CACHE_LINE   64
#define CONTENT_SEED 1

struct parser {
	struct bench_arguments *a;
	const char *word, *value;
	char *why;
	size_t size;
};

static int refuse(struct parser *p, const char *reason)
{
	snprintf(p->why, p->size, "argument '%s': %s", p->word, reason);
	return -1;
}

static int add_integer(struct parser *p, long value, void *memory)
{
	struct bench_arguments *a = p->a;

	if (a->integers == BENCH_INTEGERS) {
		free(memory);
		return refuse(p, "a call takes at most 6 integers and pointers");
	}
	a->memory[a->integers] = memory;
	a->integer[a->integers++] = value;
	return 0;
}

static int add_real(struct parser *p, double value)
{
	if (p->a->reals == BENCH_REALS)
		return refuse(p, "a call takes at most 8 reals");
	p->a->real[p->a->reals++] = value;
	return 0;
}

/* Decimal or 0x, of 64 bits, with a sign or without. */
static int take_int(struct parser *p)
{
	const char *digits = p->value + (*p->value == '-');
	int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
	char *end;

	errno = 0;
	unsigned long long size = strtoull(digits, &end, base);
	if (*digits < '0' || *digits > '9' || *end || end == digits)
		return refuse(p, "not an integer; write int:5, int:-5 or int:0x1f");
	if (errno || (digits > p->value && size > (unsigned long long)INT64_MAX + 1))
		return refuse(p, "does not fit in 64 bits");
	return add_integer(p, (long)(digits > p->value ? 0 - size : size), NULL);
}

static int take_str(struct parser *p)
{
	char *copy = strdup(p->value);

	return copy ? add_integer(p, (long)(uintptr_t)copy, copy) : refuse(p, "out of memory");
}

/* 1 .. 1 GiB, with k, M or G for powers of 1024; 0: not such a size. */
static size_t parse_size(const char *text)
{
	static const char units[] = "kMG";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	unsigned long long size = strtoull(text, &end, 10);
	if (errno || size > BENCH_BUFFER_MOST)
		return 0;
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return 0;
		size <<= 10 * (unit - units + 1);
	}
	return size <= BENCH_BUFFER_MOST ? (size_t)size : 0;
}

static int take_buf(struct parser *p)
{
	size_t bytes = parse_size(p->value);
	struct random random;

	if (!bytes)
		return refuse(p, "not a size from 1 to 1G; write buf:4096, buf:4k or buf:1M");
	unsigned char *buffer = aligned_alloc(CACHE_LINE, (bytes / CACHE_LINE + 1) * CACHE_LINE);
	if (!buffer)
		return refuse(p, "out of memory for so large a buffer");
	random_seed(&random, CONTENT_SEED);
	for (size_t i = 0; i < bytes; i++)
		buffer[i] = (unsigned char)(1 + random_below(&random, 255));
	buffer[bytes] = 0;
	return add_integer(p, (long)(uintptr_t)buffer, buffer);
}

/* strtod also takes nan and inf, which are numbers a function may be given; but 1e400
 * is not inf: it is another number than the one that was written. */
static int check_real(struct parser *p, const char *end, bool infinite, const char *large)
{
	char first = p->value[strspn(p->value, "+-")];

	if (end == p->value || *end || strchr(" \t\n\v\f\r", *p->value))
		return refuse(p, "not a number; write f64:1.5 or f32:-2e-3");
	if (infinite && first != 'i' && first != 'I')
		return refuse(p, large);
	return 0;
}

static int take_f64(struct parser *p)
{
	char *end;
	double value = strtod(p->value, &end);

	return check_real(p, end, isinf(value),
			  "too large for a double; write f64:inf for infinity")
		       ? -1
		       : add_real(p, value);
}

/* A register's low half holds it; the high half is not looked at. */
static int take_f32(struct parser *p)
{
	union {
		double real;
		float low;
	} u = {0};
	char *end;

	u.low = strtof(p->value, &end);
	return check_real(p, end, isinf(u.low), "too large for a float; write f32:inf for infinity")
		       ? -1
		       : add_real(p, u.real);
}

static int take_word(struct parser *p)
{
	static const struct {
		const char *type;
		int (*take)(struct parser *p);
	} types[] = {{"int", take_int},
		     {"str", take_str},
		     {"buf", take_buf},
		     {"f64", take_f64},
		     {"f32", take_f32}};
	size_t length = strcspn(p->word, ":");

	if (!strcmp(p->word, "null"))
		return add_integer(p, 0, NULL);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (p->word[length] && length == 3 && !strncmp(p->word, types[i].type, length)) {
			p->value = p->word + length + 1;
			return types[i].take(p);
		}
	return refuse(p, "not of a known type; there are int:5, str:hello, buf:4k, f64:1.5, "
			 "f32:1.5, null");
}

int bench_arguments_parse(struct bench_arguments *a, char **words, int count, char *why,
			  size_t size)
{
	struct parser p = {.a = a, .why = why, .size = size};

	*a = (struct bench_arguments){0};
	for (int i = 0; i < count; i++) {
		p.word = words[i];
		if (take_word(&p)) {
			bench_arguments_free(a);
			return -1;
		}
	}
	return 0;
}

void bench_arguments_free(struct bench_arguments *a)
{
	for (unsigned int i = 0; i < a->integers; i++)
		free(a->memory[i]);
	*a = (struct bench_arguments){0};
}
