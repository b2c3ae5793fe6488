// SPDX-License-Identifier: Apache-2.0
/* PyCode_Type.tp_dealloc leads to on_death, which goes on to the function that it replaced: for
 * good, since others may have noted its address and call it when we no longer stand there. Where
 * somebody else stands there later, who may call us, we cannot come back: that would go round in a
 * circle. */
#include "preload/process/modules.h"
#include "preload/process/process.h"
#include "preload/python/python.h"
#include "preload/python/python_private.h"
#include "preload/system/sys.h"
#include "preload/unwind/unwind.h"

typedef void death(void *object);

static struct {
	uint64_t *slot;
	uint64_t start, base; /* of the object that it lies in */
	death *replaced;      /* while that is loaded, for good */
	uint32_t generation;  /* of process_epoch, when we were last seen there; 0: nowhere */
} watch;

/* Called as the interpreter calls it, in any thread; errno stays as it is. */
static void on_death(void *object)
{
	python_code_die((uint64_t)object);
	__atomic_load_n(&watch.replaced, __ATOMIC_RELAXED)(object);
}

/* What its slot lies in; start 0: in no object that is loaded. */
static struct unwind_object object_at(uint64_t address)
{
	struct unwind_object o;
	return unwind_object_find_object(address, &o) ? o : (struct unwind_object){0};
}

/* False: it goes on to another function, which is still loaded. */
static bool go_on_to(uint64_t now)
{
	uint64_t was = (uint64_t)watch.replaced;
	if (was && was != now && object_at(was).start)
		return false;
	__atomic_store_n(&watch.replaced, (death *)now, __ATOMIC_RELEASE);
	return true;
}

static enum python_watch install(uint64_t *slot, uint64_t now)
{
	if (!sys_can_write((uintptr_t)slot))
		return PYTHON_WATCH_NEVER;
	if (!now || !go_on_to(now))
		return PYTHON_WATCH_NEVER;
	return __atomic_compare_exchange_n(slot, &now, (uint64_t)on_death, false, __ATOMIC_RELEASE,
					   __ATOMIC_RELAXED)
		       ? PYTHON_WATCH_SEEN
		       : PYTHON_WATCH_LATER;
}

/* Nothing is written, or read, where the object was unloaded. */
static void leave(void)
{
	__atomic_store_n(&watch.generation, 0, __ATOMIC_RELEASE);
	python_code_allow(false);
	struct unwind_object o = object_at((uint64_t)watch.slot);
	if (!watch.slot || !o.start || o.start != watch.start || o.base != watch.base)
		return;
	uint64_t now = (uint64_t)on_death;
	__atomic_compare_exchange_n(watch.slot, &now, (uint64_t)watch.replaced, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Code may have been unloaded since it was last looked at: the same interpreter, loaded again at
 * the same place, has its own function in the slot, and what was known died unseen. */
static enum python_watch look(const struct scp_thread *t, uint64_t *slot)
{
	uint32_t generation = process_epoch.now.generation;
	if (thread_is_stale(t) || !generation)
		return PYTHON_WATCH_LATER; /* the session is over: what was put back stays so */
	struct unwind_object o = object_at((uint64_t)slot);
	if (!o.start || sys_sandboxed || !sys_can_read((uintptr_t)slot))
		return PYTHON_WATCH_NEVER;
	if (watch.slot && watch.slot != slot)
		leave();
	uint64_t now = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	bool is_ours = now == (uint64_t)on_death;
	if (!is_ours || !watch.generation)
		python_code_allow(false);
	enum python_watch result = is_ours ? PYTHON_WATCH_SEEN : install(slot, now);
	if (result != PYTHON_WATCH_SEEN)
		return result;
	watch.start = o.start;
	watch.base = o.base;
	__atomic_store_n(&watch.slot, slot, __ATOMIC_RELEASE);
	python_code_allow(true);
	__atomic_store_n(&watch.generation, generation, __ATOMIC_RELEASE);
	return result;
}

enum python_watch python_code_watch(const struct scp_thread *t, const struct python_layout *layout)
{
	uint64_t *slot = (uint64_t *)(layout->code_type + layout->type_dealloc);
	uint32_t seen = __atomic_load_n(&watch.generation, __ATOMIC_ACQUIRE);
	if (likely(seen && seen == process_epoch.now.generation &&
		   __atomic_load_n(&watch.slot, __ATOMIC_RELAXED) == slot))
		return PYTHON_WATCH_SEEN;
	uint64_t signals;
	if ((uint64_t)slot % 8 != 0)
		return PYTHON_WATCH_NEVER;
	if (!modules_enter(&signals))
		return PYTHON_WATCH_LATER;
	enum python_watch result = look(t, slot);
	modules_leave(&signals);
	return result;
}

void python_put_back(void)
{
	uint64_t signals;
	if (!modules_enter(&signals))
		return;
	leave();
	modules_leave(&signals);
}
