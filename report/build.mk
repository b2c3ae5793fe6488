# SPDX-License-Identifier: GPL-3.0-or-later
REPORT_SRC = \
	report/compare/diff_computing.c \
	report/compare/diff_estimate.c \
	report/compare/diff_judge.c \
	report/compare/diff_model.c \
	report/compare/diff_pair.c \
	report/compare/diff_path.c \
	report/compare/diff_per.c \
	report/compare/diff_runs.c \
	report/compare/diff_warnings.c \
	report/compare/diff_watch.c \
	report/compare/diff_words.c \
	report/compare/match.c \
	report/compare/match_key.c \
	report/containers/string_index.c \
	report/live/columns.c \
	report/live/labels.c \
	report/live/live_reader.c \
	report/live/live_rows.c \
	report/live/means.c \
	report/live/precision.c \
	report/live/screen.c \
	report/live/screen_header.c \
	report/live/target.c \
	report/live/view.c \
	report/live/view_state.c \
	report/loops/loop.c \
	report/loops/loop_cycle.c \
	report/loops/loop_graph.c \
	report/loops/loop_rows.c \
	report/loops/loop_threads.c \
	report/model/account.c \
	report/model/nesting.c \
	report/findings/next_command.c \
	report/findings/next_steps.c \
	report/findings/verdict.c \
	report/model/programs.c \
	report/model/run_to_run.c \
	report/model/runs.c \
	report/model/computing.c \
	report/model/computing_runs.c \
	report/model/displaced.c \
	report/model/estimate.c \
	report/findings/filter_summary.c \
	report/model/frame_symbols.c \
	report/model/groups.c \
	report/model/groups_order.c \
	report/findings/elsewhere.c \
	report/findings/ledger.c \
	report/model/process_end.c \
	report/model/reliability.c \
	report/findings/head_run.c \
	report/findings/report_head.c \
	report/model/report_names.c \
	report/model/site.c \
	report/model/slowest.c \
	report/model/states.c \
	report/model/steadiness.c \
	report/model/threads_parts.c \
	report/model/threads_time.c \
	report/wording/column_words.c \
	report/wording/warning_list.c \
	report/findings/warnings.c \
	report/render/csv/csv.c \
	report/render/html/diff_html.c \
	report/render/html/html.c \
	report/render/html/html_sites.c \
	report/render/html/html_tables.c \
	report/render/html/html_write.c \
	report/render/json/diff_json.c \
	report/render/json/json.c \
	report/render/json/json_loops.c \
	report/render/json/json_run.c \
	report/render/json/json_site.c \
	report/render/json/json_write.c \
	report/render/json/row_fields.c \
	report/render/pprof/pprof.c \
	report/render/pprof/pprof.pb-c.c \
	report/render/stacks/svg.c \
	report/render/stacks/callgrind.c \
	report/render/stacks/speedscope.c \
	report/render/stacks/flame.c \
	report/render/stacks/flame_order.c \
	report/render/stacks/stacks.c \
	report/render/text/text_notes.c \
	report/render/text/diff_text.c \
	report/render/text/table.c \
	report/render/text/text.c \
	report/render/text/text_cell.c \
	report/render/text/text_computing.c \
	report/render/text/text_displaced.c \
	report/render/text/text_loop.c \
	report/render/text/text_others.c \
	report/render/text/text_path.c \
	report/render/text/text_rows.c \
	report/render/text/text_shared_callers.c \
	report/render/text/text_sites.c \
	report/render/text/text_slowest.c \
	report/render/text/text_time.c \
	report/model/sites.c \
	report/report.c \
	report/symbols/below.c \
	report/symbols/code_map.c \
	report/symbols/function_names.c \
	report/symbols/generated_name.c \
	report/symbols/symbolize.c \
	report/symbols/symbolize_elf.c \
	report/symbols/symbolize_inline.c \
	report/symbols/symbolize_jit.c \
	report/symbols/symbolize_module.c \
	report/symbols/symbolize_source.c \
	report/symbols/symbolize_table.c \
	report/wording/numbers.c \
	report/wording/terminal.c \
	report/wording/utf8.c \
	report/wording/warning_codes.c

# The pages of `--format html`, a report's and a comparison's, from readable pieces; the scripts run in this order.
HTML_PIECES = report/render/html/page
HTML_STYLES = base layout flame table charts displaced states loops print
HTML_SCRIPTS = doc data format dom theme whisker charts states time boxes halves flame flame_input rows table inspector search programs warnings head loops displaced tables sections main
HTML_SOURCES = $(HTML_PIECES)/page.html $(HTML_STYLES:%=$(HTML_PIECES)/%.css) $(HTML_SCRIPTS:%=$(HTML_PIECES)/%.js)
HTML_PAGE = $(BUILD)/report/render/html/page
DIFF_STYLES = base layout flame table charts diff print
DIFF_SCRIPTS = doc format dom theme whisker boxes diff_tree diff_flame rows diff_table diff_panel warnings tables diff
DIFF_SOURCES = $(HTML_PIECES)/diff.html $(DIFF_STYLES:%=$(HTML_PIECES)/%.css) $(DIFF_SCRIPTS:%=$(HTML_PIECES)/%.js)
DIFF_PAGE = $(BUILD)/report/render/html/diff_page
CAUSAL_SOURCES = $(HTML_PIECES)/causal.html $(HTML_PIECES)/base.css $(HTML_PIECES)/layout.css $(HTML_PIECES)/causal.css
CAUSAL_PAGE = $(BUILD)/report/render/html/causal_page

# Each writes the .tail too.
$(HTML_PAGE).head: $(HTML_PIECES)/assemble.sh $(HTML_SOURCES)
	@mkdir -p $(@D)
	$(HTML_PIECES)/assemble.sh $(HTML_PAGE) $(HTML_SOURCES)
$(DIFF_PAGE).head: $(HTML_PIECES)/assemble.sh $(DIFF_SOURCES)
	@mkdir -p $(@D)
	$(HTML_PIECES)/assemble.sh $(DIFF_PAGE) $(DIFF_SOURCES)
$(CAUSAL_PAGE).head: $(HTML_PIECES)/assemble.sh $(CAUSAL_SOURCES)
	@mkdir -p $(@D)
	$(HTML_PIECES)/assemble.sh $(CAUSAL_PAGE) $(CAUSAL_SOURCES)

CFLAGS_report_render_html_html = -DHTML_HEAD='"$(HTML_PAGE).head"' -DHTML_TAIL='"$(HTML_PAGE).tail"'
CFLAGS_report_render_html_diff_html = -DHTML_HEAD='"$(DIFF_PAGE).head"' -DHTML_TAIL='"$(DIFF_PAGE).tail"'
CFLAGS_cli_causal_causal_html = -DHTML_HEAD='"$(CAUSAL_PAGE).head"' -DHTML_TAIL='"$(CAUSAL_PAGE).tail"'
$(BUILD)/cli/causal/causal_html.o: $(CAUSAL_PAGE).head
$(BUILD)/report/render/html/html.o: $(HTML_PAGE).head
$(BUILD)/report/render/html/diff_html.o: $(DIFF_PAGE).head

# pprof's messages, from their description.
$(BUILD)/report/render/pprof/pprof.pb-c.c: report/render/pprof/pprof.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=report/render/pprof --c_out=$(BUILD)/report/render/pprof $<
$(BUILD)/report/render/pprof/pprof.pb-c.o: $(BUILD)/report/render/pprof/pprof.pb-c.c
	$(CC) $(TOOL_CFLAGS) -c -o $@ $<
$(addprefix $(BUILD)/report/render/pprof/,pprof.o pprof_write.o): $(BUILD)/report/render/pprof/pprof.pb-c.c
CFLAGS_report_render_pprof_pprof = -I$(BUILD)
CFLAGS_report_render_pprof_pprof_write = -I$(BUILD)
