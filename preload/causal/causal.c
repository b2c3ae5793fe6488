// SPDX-License-Identifier: Apache-2.0
#include "preload/causal/causal.h"
#include "preload/causal/causal_block.h"
#include "preload/causal/causal_site.h"
#include "preload/clock/clock.h"
#include "preload/filter/filter.h"
#include "preload/process/settings.h"

void causal_read(void)
{
	const char *path = settings_variable("SCPROF_CAUSAL");
	struct scp_causal_page *page = NULL;
	causal_page = NULL;
	thread_all_general = false;
	if (!path || !*path)
		return;
	if (clock_is_allowed())
		page = causal_page_map(path);
	if (!page) {
		filter_note_ignored("SCPROF_CAUSAL");
		return;
	}
	causal_site_begin(page);
	thread_all_general = clock_chosen.beside = true;
	thread_ends = causal_block_end;
	__atomic_store_n(&causal_page, page, __ATOMIC_RELEASE);
}

void causal_forget(void)
{
	causal_page_forget();
	thread_all_general = false;
}
