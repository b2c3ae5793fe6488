# SPDX-License-Identifier: GPL-3.0-or-later
# What is installed where: one list, for `make install`, `make uninstall` and the package.
LIBDIR  ?= $(PREFIX)/lib
DATADIR  = $(PREFIX)/share
DOCDIR   = $(DATADIR)/doc/scprof
PRELOAD ?= $(LIBDIR)/libscprof.so
PYTHONDIR ?= $(DATADIR)/scprof/python
ZSHDIR  ?= $(DATADIR)/zsh/site-functions
UNITDIR ?= $(PREFIX)/lib/systemd/system

# Files made for the prefix, which may be another one at each installation.
MADE_FOR_PREFIX = scprof.pc scprofConfig.cmake scprofConfigVersion.cmake scprof-serve.service
FILLED = $(BUILD)/packaging
FILL   = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@PRELOAD@|$(PRELOAD)|g' -e 's|@VERSION@|$(VERSION)|g'

# MODE:FILE:PLACE
INSTALLED = \
	755:$(BUILD)/scprof:$(PREFIX)/bin/scprof \
	644:$(BUILD)/libscprof.so:$(LIBDIR)/libscprof.so \
	$(if $(UNWIND_OBJECT),644:$(UNWIND_OBJECT):$(LIBDIR)/$(notdir $(UNWIND_OBJECT))) \
	$(foreach h,$(wildcard include/*.h),644:$(h):$(PREFIX)/include/$(notdir $(h))) \
	644:docs/examples/python/scprof.py:$(PYTHONDIR)/scprof.py \
	$(foreach p,$(MAN_PAGES),644:$(p):$(DATADIR)/man/man$(subst .,,$(suffix $(p)))/$(notdir $(p))) \
	644:scripts/packaging/completion/scprof.bash:$(DATADIR)/bash-completion/completions/scprof \
	644:scripts/packaging/completion/_scprof:$(ZSHDIR)/_scprof \
	644:scripts/packaging/completion/scprof.fish:$(DATADIR)/fish/vendor_completions.d/scprof.fish \
	644:$(FILLED)/scprof.pc:$(DATADIR)/pkgconfig/scprof.pc \
	644:$(FILLED)/scprofConfig.cmake:$(DATADIR)/cmake/scprof/scprofConfig.cmake \
	644:$(FILLED)/scprofConfigVersion.cmake:$(DATADIR)/cmake/scprof/scprofConfigVersion.cmake \
	644:$(FILLED)/scprof-serve.service:$(UNITDIR)/scprof-serve.service \
	$(foreach d,README.md LICENSE $(wildcard LICENSES/*.txt),644:$(d):$(DOCDIR)/$(notdir $(d))) \
	$(foreach d,$(wildcard docs/*.md docs/*.json docs/images/* docs/results/*),644:$(d):$(DOCDIR)/$(d))

PLACES = $(foreach entry,$(INSTALLED),$(lastword $(subst :, ,$(entry))))

# The folders that `install` made: what `uninstall` removes where nothing else is in them.
MADE = $(DOCDIR)/folders

.PHONY: install uninstall installed deb dist
install: all
	@mkdir -p $(FILLED)
	@scripts/packaging/folders.sh missing "$(DESTDIR)" $(PLACES) > $(FILLED)/folders
	@cat "$(DESTDIR)$(MADE)" >> $(FILLED)/folders 2>/dev/null || :
	@for f in $(MADE_FOR_PREFIX); do \
		$(FILL) scripts/packaging/$$f.in > $(FILLED)/$$f || exit 1; done
	@for entry in $(INSTALLED); do \
		mode=$${entry%%:*}; rest=$${entry#*:}; \
		install -D -m $$mode "$${rest%%:*}" "$(DESTDIR)$${rest#*:}" || exit 1; done
	@install -m 644 $(FILLED)/folders "$(DESTDIR)$(MADE)"

# Takes away what `install` of this version put there, and no folder of others.
uninstall:
	@cp "$(DESTDIR)$(MADE)" $(FILLED)/folders 2>/dev/null || { mkdir -p $(FILLED) && : > $(FILLED)/folders; }
	@for place in $(PLACES) $(MADE); do rm -f "$(DESTDIR)$$place"; done
	@printf '%s\n' $(DOCDIR)/docs/images $(DOCDIR)/docs/results $(DOCDIR)/docs $(DOCDIR) $(DATADIR)/cmake/scprof >> $(FILLED)/folders
	@scripts/packaging/folders.sh remove "$(DESTDIR)" $(PLACES) < $(FILLED)/folders

# The same list for scripts: a line each.
installed:
	@printf '%s\n' $(PLACES)

deb: all
	@scripts/packaging/make_deb.sh $(BUILD) $(VERSION)

# The tool for `make dist`: all libraries are inside, so that it runs on any Linux of this processor, whatever
# its libc is. It loads nothing and speaks no TLS: what libmicrohttpd and libdw could ask for says no. The libdw.a
# of elfutils 0.192 lacks its own search trees, which without locks are libc's.
DIST = $(BUILD)/dist
STATIC_LIBS = $(TOOL_LIBS) -lmicrohttpd $(foreach l,lzma bz2 zstd,$(if $(filter /%,$(shell $(CC) -print-file-name=lib$l.a)),-l$l))
$(DIST)/absent.c: $(BUILD)/libserve.a
	@mkdir -p $(@D)
	@{ nm -u "$$($(CC) -print-file-name=libmicrohttpd.a)" 2>/dev/null | sed -n 's/^ *U \(gnutls_[a-z0-9_]*\)$$/\1/p' | sort -u | \
		sed 's/.*/int &(void);\nint &(void) { return -1; }/'; \
		archives="$$($(CC) -print-file-name=libdw.a) $$($(CC) -print-file-name=libelf.a)"; \
		if nm $$archives 2>/dev/null | grep -q ' U eu_tsearch$$' && ! nm $$archives 2>/dev/null | grep -q ' T eu_tsearch$$'; then \
			echo 'typedef int order(const void *, const void *); void tdestroy(void *, void (*)(void *));'; \
			for f in tsearch tfind tdelete; do \
				echo "void *$$f(const void *, void **, order *);"; \
				echo "void *eu_$$f(const void *k, void **t, order *o) { return $$f(k, t, o); }"; done; \
			echo 'void eu_search_tree_init(void **t) { *t = 0; }'; \
			echo 'void eu_tdestroy(void **t, void (*f)(void *)) { tdestroy(*t, f); *t = 0; }'; \
			echo 'void eu_search_tree_fini(void **t, void (*f)(void *)) { eu_tdestroy(t, f); }'; fi; \
		echo 'void *dlopen(const char *f, int m) { (void)f; (void)m; return 0; }'; \
		echo 'void *dlsym(void *h, const char *n) { (void)h; (void)n; return 0; }'; \
		echo 'int dlclose(void *h) { (void)h; return -1; }'; \
		echo 'char *dlerror(void) { return (char *)"this scprof is linked statically, and loads no library"; }'; } > $@

$(DIST)/absent.o: $(DIST)/absent.c
	$(CC) -O2 -c -o $@ $<

# Weak references do not bring functions in by themselves. libc has a dlopen for itself, and ld warns of that.
$(DIST)/scprof: $(BUILD)/cli/main.o $(TOOL_ARCHIVES) $(DIST)/absent.o
	$(CC) -static -s -o $@ $^ $$(nm $(BUILD)/libserve.a | sed -n 's/^ *w \(MHD_.*\)/-Wl,-u,\1/p') \
		-Wl,--start-group $(STATIC_LIBS) -Wl,--end-group -Wl,--trace > $@.inputs 2>&1 || { cat $@.inputs >&2; exit 1; }

# `make dist` looks first whether the static libraries are there.
dist: all
	@scripts/packaging/make_dist.sh missing $(STATIC_LIBS) -llzma -lbz2
	@$(MAKE) --no-print-directory $(DIST)/scprof $(DIST)/libscprof.so $(if $(UNWIND_OBJECT),$(DIST)/libscprof-unwind.so)
	@scripts/packaging/make_dist.sh $(BUILD) $(VERSION) $(ARCH) $(MAN_PAGES)
