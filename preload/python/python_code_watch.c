// SPDX-License-Identifier: Apache-2.0
/* PyCode_Type.tp_dealloc leads to one of the entries below, each of which goes on to what it
 * replaced: for good, since others may have noted its address and call it when we no longer stand
 * there. Who stood there after us, and calls us, is replaced by an entry of its own: the first
 * would go round in a circle. */
#include "preload/process/modules.h"
#include "preload/python/python_code.h"
#include "preload/python/python_code_watch.h"
#include "preload/system/sys.h"

#define ENTRIES 4u

typedef void death(void *object);

static struct {
	uint64_t *slot;
	death *replaced[ENTRIES]; /* written once */
	bool seen;
} watch;

/* Called as the interpreter calls it, in any thread; errno stays as it is. */
static inline void pass_on(void *object, unsigned entry)
{
	python_code_die((uint64_t)object);
	__atomic_load_n(&watch.replaced[entry], __ATOMIC_RELAXED)(object);
}

static void entry_0(void *object)
{
	pass_on(object, 0);
}

static void entry_1(void *object)
{
	pass_on(object, 1);
}

static void entry_2(void *object)
{
	pass_on(object, 2);
}

static void entry_3(void *object)
{
	pass_on(object, 3);
}

static death *const entries[ENTRIES] = {entry_0, entry_1, entry_2, entry_3};

/* The entry that is `now`; ENTRIES: none is. */
static unsigned entry_that_is(uint64_t now)
{
	unsigned i = 0;
	while (i < ENTRIES && (uint64_t)entries[i] != now)
		i++;
	return i;
}

/* The entry that goes on to `now`; ENTRIES: there are no more. */
static unsigned entry_before(uint64_t now)
{
	unsigned i = 0;
	for (; i < ENTRIES; i++) {
		death *none = NULL;
		if (__atomic_compare_exchange_n(&watch.replaced[i], &none, (death *)now, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED) ||
		    (uint64_t)none == now)
			break;
	}
	return i;
}

static bool install(uint64_t *slot)
{
	uint64_t now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (entry_that_is(now) < ENTRIES)
		return true;
	unsigned entry = now ? entry_before(now) : ENTRIES;
	return entry < ENTRIES &&
	       __atomic_compare_exchange_n(slot, &now, (uint64_t)entries[entry], false,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

static void watch_step(void *argument)
{
	uint64_t *slot = argument;
	if (watch.seen || sys_sandboxed || (uint64_t)slot % 8 != 0 ||
	    !sys_can_write((uintptr_t)slot) || !install(slot))
		return;
	watch.slot = slot;
	python_code_allow(true);
	__atomic_store_n(&watch.seen, true, __ATOMIC_RELEASE);
}

bool python_code_watch(const struct python_layout *layout)
{
	uint64_t *slot = (uint64_t *)(layout->code_type + layout->type_dealloc);
	if (!__atomic_load_n(&watch.seen, __ATOMIC_ACQUIRE))
		modules_exclusive(watch_step, slot);
	return __atomic_load_n(&watch.seen, __ATOMIC_ACQUIRE) && watch.slot == slot;
}

static void put_back_step(void *unused)
{
	(void)unused;
	if (!watch.seen)
		return;
	__atomic_store_n(&watch.seen, false, __ATOMIC_RELEASE);
	python_code_allow(false);
	uint64_t now = __atomic_load_n(watch.slot, __ATOMIC_ACQUIRE);
	unsigned entry = entry_that_is(now);
	if (entry < ENTRIES)
		__atomic_compare_exchange_n(watch.slot, &now, (uint64_t)watch.replaced[entry],
					    false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void python_code_put_back(void)
{
	modules_exclusive(put_back_step, NULL);
}
