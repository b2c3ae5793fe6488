# SPDX-License-Identifier: GPL-3.0-or-later
# Man pages, from the tables of the built tool (scripts/manual.sh), which SCPROF_RUN runs if it is another processor's.
MAN_COMMANDS = run attach detach dump report explain top diff merge plan bench causal symbols displace load serve clocks doctor config
MAN_PAGES = $(BUILD)/man/scprof.1 $(patsubst %,$(BUILD)/man/scprof-%.1,$(MAN_COMMANDS))
SCPROF_RUN ?=

.PHONY: man
man: $(MAN_PAGES)

$(BUILD)/man/scprof-%.1: scripts/packaging/man/%.in scripts/manual.sh $(BUILD)/scprof
	@mkdir -p $(@D)
	scripts/manual.sh "$(SCPROF_RUN) $(BUILD)/scprof" $< > $@.new && mv $@.new $@

$(BUILD)/man/scprof.1: scripts/packaging/man/scprof.in scripts/manual.sh $(BUILD)/scprof
	@mkdir -p $(@D)
	scripts/manual.sh "$(SCPROF_RUN) $(BUILD)/scprof" $< > $@.new && mv $@.new $@
