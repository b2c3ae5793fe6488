# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed where: one list, for `make install`, `make uninstall` and the package.
LIBDIR  ?= $(PREFIX)/lib
DATADIR  = $(PREFIX)/share
DOCDIR   = $(DATADIR)/doc/scprof
PRELOAD ?= $(LIBDIR)/libscprof.so
ZSHDIR  ?= $(DATADIR)/zsh/site-functions

# Files made for the prefix, which may be another one at each installation.
FILLED = $(BUILD)/packaging
FILL   = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@PRELOAD@|$(PRELOAD)|g' -e 's|@VERSION@|$(VERSION)|g'

# MODE:FILE:PLACE
INSTALLED = \
	755:$(BUILD)/scprof:$(PREFIX)/bin/scprof \
	644:$(BUILD)/libscprof.so:$(LIBDIR)/libscprof.so \
	$(if $(UNWIND_OBJECT),644:$(UNWIND_OBJECT):$(LIBDIR)/$(notdir $(UNWIND_OBJECT))) \
	$(foreach h,$(wildcard include/*.h),644:$(h):$(PREFIX)/include/$(notdir $(h))) \
	$(foreach p,$(MAN_PAGES),644:$(p):$(DATADIR)/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	644:packaging/completion/scprof.bash:$(DATADIR)/bash-completion/completions/scprof \
	644:packaging/completion/_scprof:$(ZSHDIR)/_scprof \
	644:packaging/completion/scprof.fish:$(DATADIR)/fish/vendor_completions.d/scprof.fish \
	644:$(FILLED)/scprof.pc:$(DATADIR)/pkgconfig/scprof.pc \
	644:$(FILLED)/scprofConfig.cmake:$(DATADIR)/cmake/scprof/scprofConfig.cmake \
	644:$(FILLED)/scprofConfigVersion.cmake:$(DATADIR)/cmake/scprof/scprofConfigVersion.cmake \
	$(foreach d,README.md LICENSE $(wildcard LICENSES/*.txt),644:$(d):$(DOCDIR)/$(notdir $(d))) \
	$(foreach d,$(wildcard docs/*.md docs/*.json docs/images/* docs/results/*),644:$(d):$(DOCDIR)/$(d))

.PHONY: install uninstall installed deb
install: all
	@mkdir -p $(FILLED)
	@for f in scprof.pc scprofConfig.cmake scprofConfigVersion.cmake; do \
		$(FILL) packaging/$$f.in > $(FILLED)/$$f || exit 1; done
	@for entry in $(INSTALLED); do \
		mode=$${entry%%:*}; rest=$${entry#*:}; \
		install -D -m $$mode "$${rest%%:*}" "$(DESTDIR)$${rest#*:}" || exit 1; done

# Takes away what `install` of this version put there, and no directory of others.
uninstall:
	@for entry in $(INSTALLED); do rest=$${entry#*:}; rm -f "$(DESTDIR)$${rest#*:}"; done
	@for d in $(DOCDIR)/docs/images $(DOCDIR)/docs/results $(DOCDIR)/docs $(DOCDIR) $(DATADIR)/cmake/scprof; do \
		rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$d" 2>/dev/null || :; done

# The same list for scripts: a line each.
installed:
	@for entry in $(INSTALLED); do rest=$${entry#*:}; echo "$${rest#*:}"; done

deb: all
	@packaging/make_deb.sh $(BUILD) $(VERSION)
