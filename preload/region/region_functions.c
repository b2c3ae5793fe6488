// SPDX-License-Identifier: Apache-2.0
/* Programs built with -finstrument-functions: each function is a region, if the group is asked for.
 * They are known by object and offset ("0x1139" of "libx.so"), for which reports find the name.
 * Whoever else would have been called is called, too. */
#include "preload/function/function.h"
#include "preload/region/region.h"
#include "preload/process/settings.h"
#include "preload/unwind/unwind.h"

#define SLOTS 8192u
#define TRIES 16u

/* Numbers by address: address << 12 | number of the name. */
static LARGE uint64_t known[SLOTS];
_Static_assert(REGION_NAMES_MAX <= 1u << 12, "the number of a name fits");

static COLD uint32_t name_of(uint64_t address)
{
	static const char digits[] = "0123456789abcdef";
	struct unwind_object object;
	char text[20];
	size_t n = sizeof text - 1;
	bool found = unwind_object_find_object(address, &object);
	uint64_t offset = found ? address - object.base : address;
	text[n] = 0;
	do
		text[--n] = digits[offset & 15];
	while (offset >>= 4);
	text[--n] = 'x';
	text[--n] = '0';
	const char *path = !found ? "" : *object.name ? object.name : settings.exe;
	return region_name(text + n, text_basename(path), SCP_GROUP_FUNCTIONS);
}

static COLD uint32_t learn(uint64_t address, uint32_t first)
{
	uint32_t id = name_of(address);
	for (uint32_t i = 0; id && i < TRIES; i++) {
		uint64_t *slot = &known[(first + i) % SLOTS], free = 0;
		if (__atomic_compare_exchange_n(slot, &free, address << 12 | (id - REGION_FIRST),
						false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
	}
	return id;
}

static inline uint32_t function_id(uint64_t address)
{
	uint32_t first = (uint32_t)(address >> 4) * 2654435761u >> 16;
	for (uint32_t i = 0; i < TRIES; i++) {
		uint64_t held = __atomic_load_n(&known[(first + i) % SLOTS], __ATOMIC_RELAXED);
		if (likely(held >> 12 == address))
			return REGION_FIRST + (uint32_t)(held & 4095);
		if (!held)
			break;
	}
	return learn(address, first);
}

void region_functions_forget_functions(void)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (known[i])
			__atomic_store_n(&known[i], 0, __ATOMIC_RELAXED);
}

typedef void hook(void *function, void *call_site);

EXPORT hook region_function_enter __asm__("__cyg_profile_func_enter");
void region_function_enter(void *function, void *call_site)
{
	struct region_caller from = REGION_CALLER();
	((hook *)function_original(FN___cyg_profile_func_enter))(function, call_site);
	if (unlikely(region_is_on(SCP_GROUP_FUNCTIONS)))
		region_begin(function_id((uint64_t)function), REGION_FUNCTION, (uint64_t)function,
			     from.ra, from.cfa, from.fp);
}

EXPORT hook region_function_exit __asm__("__cyg_profile_func_exit");
void region_function_exit(void *function, void *call_site)
{
	if (region_is_on(SCP_GROUP_FUNCTIONS))
		region_end(REGION_FUNCTION, 0, (uint64_t)function, ARCH_CALLER_SP());
	((hook *)function_original(FN___cyg_profile_func_exit))(function, call_site);
}
