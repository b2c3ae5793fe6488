// SPDX-License-Identifier: GPL-3.0-or-later
/* Regions and points (docs/regions.md): a key-value store that answers requests, and whose table
 * grows now and then. Which step of a request takes the time, and which one takes it rarely? Usage:
 * regions [REQUESTS] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scprof.h"

struct pair {
	uint64_t key, value;
};

struct table {
	struct pair *pair;
	uint64_t room, used;
};

static struct pair *find(const struct table *t, uint64_t key)
{
	uint64_t at = key * 0x9e3779b97f4a7c15u;

	for (at ^= at >> 29;; at++)
		if (!t->pair[at & (t->room - 1)].key || t->pair[at & (t->room - 1)].key == key)
			return &t->pair[at & (t->room - 1)];
}

static int grow(struct table *t)
{
	SCPROF_SCOPE("grow");
	struct table larger = {NULL, t->room ? 2 * t->room : 64, t->used};

	larger.pair = calloc(larger.room, sizeof(*larger.pair));
	if (!larger.pair)
		return -1;
	for (uint64_t i = 0; i < t->room; i++)
		if (t->pair[i].key)
			*find(&larger, t->pair[i].key) = t->pair[i];
	free(t->pair);
	*t = larger;
	return 0;
}

static int add(struct table *t, uint64_t key, uint64_t value)
{
	struct pair *p;

	if (2 * t->used >= t->room && grow(t) < 0)
		return -1;
	p = find(t, key);
	t->used += !p->key;
	p->key = key;
	p->value += value;
	return 0;
}

/* "add KEY VALUE" in, "KEY = VALUE" out. */
static int serve(struct table *t, const char *request, char *reply, size_t room)
{
	unsigned long long key, value;

	SCPROF_POINT("received");
	if (sscanf(request, "add %llu %llu", &key, &value) != 2)
		return -1;
	SCPROF_POINT("parsed");
	if (add(t, key, value) < 0)
		return -1;
	SCPROF_POINT("stored");
	snprintf(reply, room, "%llu = %llu", key, (unsigned long long)find(t, key)->value);
	SCPROF_POINT("answered");
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long requests = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000, length = 0;
	struct table t = {NULL, 0, 0};
	char request[64], reply[64];
	uint64_t random = 1;

	for (unsigned long i = 0; i < requests; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		snprintf(request, sizeof(request), "add %u 1", (unsigned)(random >> 40) + 1);
		if (serve(&t, request, reply, sizeof(reply)) < 0) {
			fprintf(stderr, "regions: out of memory\n");
			return 1;
		}
		length += strlen(reply);
	}
	SCPROF_POINT_STOP;
	printf("%llu keys, %lu bytes of replies\n", (unsigned long long)t.used, length);
	free(t.pair);
	return 0;
}
