# SPDX-License-Identifier: GPL-3.0-or-later
REPORT_SRC = \
	report/account.c \
	report/callgrind.c \
	report/csv.c \
	report/csv_displaced.c \
	report/csv_others.c \
	report/csv_path.c \
	report/csv_write.c \
	report/diff_estimate.c \
	report/diff_json.c \
	report/diff_judge.c \
	report/diff_model.c \
	report/diff_pair.c \
	report/diff_path.c \
	report/diff_runs.c \
	report/diff_text.c \
	report/diff_warnings.c \
	report/diff_words.c \
	report/displacement_file.c \
	report/displacement_recorded.c \
	report/displaced.c \
	report/doubts.c \
	report/estimate.c \
	report/facts.c \
	report/filters.c \
	report/flame.c \
	report/flame_sum.c \
	report/folded.c \
	report/function_names.c \
	report/graph.c \
	report/group.c \
	report/gzip.c \
	report/html.c \
	report/html_displaced.c \
	report/html_flame.c \
	report/html_loops.c \
	report/html_page.c \
	report/html_sites.c \
	report/html_tables.c \
	report/html_write.c \
	report/json.c \
	report/json_loop.c \
	report/json_displaced.c \
	report/json_parts.c \
	report/json_site.c \
	report/json_slowest.c \
	report/json_stacks.c \
	report/json_steady.c \
	report/json_write.c \
	report/loop.c \
	report/loop_cycle.c \
	report/loop_graph.c \
	report/loop_rows.c \
	report/loop_shares.c \
	report/loop_tables.c \
	report/loop_threads.c \
	report/loop_ways.c \
	report/match.c \
	report/match_key.c \
	report/match_modules.c \
	report/model.c \
	report/names.c \
	report/numbers.c \
	report/order.c \
	report/outer.c \
	report/pairs.c \
	report/pprof.c \
	report/pprof_tables.c \
	report/pprof.pb-c.c \
	report/print.c \
	report/room.c \
	report/share.c \
	report/site.c \
	report/slowest.c \
	report/stacks.c \
	report/steadiness.c \
	report/symbolize.c \
	report/symbolize_fetch.c \
	report/symbolize_inline.c \
	report/symbolize_jit.c \
	report/symbolize_module.c \
	report/symbolize_names.c \
	report/symbolize_table.c \
	report/table.c \
	report/table_print.c \
	report/terminal.c \
	report/text.c \
	report/text_apart.c \
	report/text_loop.c \
	report/text_loop_line.c \
	report/text_loop_names.c \
	report/text_displaced.c \
	report/text_others.c \
	report/text_path.c \
	report/text_sites.c \
	report/text_slowest.c \
	report/text_steady.c \
	report/utf8.c \
	report/warnings.c \
	report/weights.c \
	report/whole.c \
	report/words.c

# The page of `--format html`, from readable pieces; the scripts run in this order.
HTML_STYLES = base layout flame table charts displaced loops print
HTML_SCRIPTS = data format dom charts flame flame_input table inspector search head loops displaced sections main
HTML_SOURCES = report/html/page.html $(HTML_STYLES:%=report/html/%.css) $(HTML_SCRIPTS:%=report/html/%.js)
HTML_PAGE = $(BUILD)/report/html/page

# It writes the .tail too.
$(HTML_PAGE).head: report/html/assemble.sh $(HTML_SOURCES)
	@mkdir -p $(@D)
	report/html/assemble.sh $(HTML_PAGE) $(HTML_SOURCES)

CFLAGS_report_html_page = -DHTML_HEAD='"$(HTML_PAGE).head"' -DHTML_TAIL='"$(HTML_PAGE).tail"'
$(BUILD)/report/html_page.o: $(HTML_PAGE).head

# pprof's messages, from their description.
$(BUILD)/report/pprof.pb-c.c: report/pprof.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=report --c_out=$(BUILD)/report $<
$(BUILD)/report/pprof.pb-c.o: $(BUILD)/report/pprof.pb-c.c
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<
$(BUILD)/report/pprof.o $(BUILD)/report/pprof_tables.o: $(BUILD)/report/pprof.pb-c.c
CFLAGS_report_pprof = -I$(BUILD)/report
CFLAGS_report_pprof_tables = -I$(BUILD)/report
