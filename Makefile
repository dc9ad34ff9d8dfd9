# dynamo: DynamoDB's single-table design inside PostgreSQL.
#
# An ordinary PGXS makefile: `make`, `make install` and `make installcheck`
# work against the server that PG_CONFIG names.

EXTENSION = dynamo
MODULE_big = dynamo
EXTENSION_SCRIPT = dynamo--1.0.sql
DATA = $(filter-out $(EXTENSION_SCRIPT),$(sort $(wildcard dynamo--*.sql)))
DATA_built = build/$(EXTENSION_SCRIPT)
PGFILEDESC = "dynamo - DynamoDB single-table design for PostgreSQL"

# Five libraries: dynamo; dynamo_citus, which distributes tables; dynamo_api with DynamoDB's
# requests, and exports and backups; dynamo_http, the endpoint, which needs dynamo_api; and
# dynamo_faults for test servers, which does, too.  All need dynamo (test/exports).
API_WINGS = request partiql archive transfer
CITUS_OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/citus/*.c)))
API_OBJS := $(patsubst %.c,%.o,$(sort $(wildcard $(API_WINGS:%=src/%/*.c))))
HTTP_OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/http/*.c)))
FAULTS_OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/faults/*.c)))
OBJS := $(filter-out $(CITUS_OBJS) $(API_OBJS) $(HTTP_OBJS) $(FAULTS_OBJS),$(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c))))
ALL_OBJS = $(OBJS) $(CITUS_OBJS) $(API_OBJS) $(HTTP_OBJS) $(FAULTS_OBJS)

# Every file of sql/ is a test of its own and needs no other one.  The database is
# the same whatever the server's encoding and locale.
REGRESS := $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=dynamo --encoding=UTF8 --no-locale

# Concurrency: specs/ and expected/ below test/isolation.
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test/isolation --outputdir=test/isolation --load-extension=dynamo \
	--encoding=UTF8 --no-locale

EXTRA_CLEAN = dynamo-move $(ALL_OBJS:.o=.d) $(CITUS_OBJS) $(API_OBJS) $(HTTP_OBJS) $(FAULTS_OBJS) \
	$(addsuffix $(DLSUFFIX), dynamo_citus dynamo_api dynamo_http dynamo_faults)

PG_CONFIG ?= pg_config

# PostgreSQL's headers are system headers here, so that -Wextra speaks of our
# code only.  Symbols are hidden unless fmgr or another library of ours needs them; calls
# within a library do not look for another definition of what it offers.
PG_CPPFLAGS = -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-fvisibility=hidden -fno-semantic-interposition

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# The libraries stand beside each other.  BESIDE comes before LDFLAGS, which may name other
# directories: rpmbuild refuses $ORIGIN after these.
ifeq ($(PORTNAME),darwin)
# PostgreSQL builds modules as bundles, which no library can be linked with.  A dynamic library
# cannot name the program that loads it: it finds the server's functions when it is loaded.
BE_DLLLIBS =
LINK.shared = $(COMPILER) -dynamiclib -install_name '@loader_path/$@' -Wl,-undefined,dynamic_lookup
BESIDE =
else
# Calls within dynamo are bound to it, which needs no other library.
SHLIB_LINK += -Wl,-Bsymbolic-functions
BESIDE = -Wl,-rpath,'$$ORIGIN'
endif

# The install script, with the files that it names.
NAMED_FILES = src/design/reports.sql src/design/models.sql src/design/help.sql src/monitor/setup.sql \
	$(addprefix src/client/,client.sql typescript.sql python.sql go.sql schemas.sql generate.sql)

build/$(EXTENSION_SCRIPT): $(EXTENSION_SCRIPT) $(NAMED_FILES)
	mkdir -p build
	sed $(foreach file,$(NAMED_FILES),-e '\|^@$(file)@$$| {' -e 'r $(file)' -e 'd' -e '}') $(EXTENSION_SCRIPT) >$@.tmp
	mv $@.tmp $@

# What a library is linked with: others of ours, by their file.
CITUS_LINK = dynamo$(DLSUFFIX)
API_LINK = -lz dynamo$(DLSUFFIX)
FAULTS_LINK = dynamo_api$(DLSUFFIX) dynamo$(DLSUFFIX)
HTTP_LINK = -lz dynamo_api$(DLSUFFIX) dynamo$(DLSUFFIX)
# Imports read files that are compressed with zstd where its header is found; make WITH_ZSTD=no builds without.
WITH_ZSTD ?= $(shell $(CC) $(CPPFLAGS) -E -include zstd.h -x c /dev/null >/dev/null 2>&1 && echo yes || echo no)
ifeq ($(WITH_ZSTD),yes)
src/transfer/zstd_input.o src/transfer/zstd_input.bc: override CPPFLAGS += -DDYNAMO_ZSTD
API_LINK += -lzstd
endif
# only the endpoint needs OpenSSL, where the server is built with it
ifeq ($(with_ssl),openssl)
HTTP_LINK += -lssl -lcrypto
endif

dynamo_citus$(DLSUFFIX): $(CITUS_OBJS) dynamo$(DLSUFFIX)
	$(LINK.shared) -o $@ $(CITUS_OBJS) $(BESIDE) $(LDFLAGS) $(LDFLAGS_SL) $(CITUS_LINK)

dynamo_api$(DLSUFFIX): $(API_OBJS) dynamo$(DLSUFFIX)
	$(LINK.shared) -o $@ $(API_OBJS) $(BESIDE) $(LDFLAGS) $(LDFLAGS_SL) $(API_LINK)

dynamo_http$(DLSUFFIX): $(HTTP_OBJS) dynamo_api$(DLSUFFIX)
	$(LINK.shared) -o $@ $(HTTP_OBJS) $(BESIDE) $(LDFLAGS) $(LDFLAGS_SL) $(HTTP_LINK)

dynamo_faults$(DLSUFFIX): $(FAULTS_OBJS) dynamo_api$(DLSUFFIX)
	$(LINK.shared) -o $@ $(FAULTS_OBJS) $(BESIDE) $(LDFLAGS) $(LDFLAGS_SL) $(FAULTS_LINK)

OTHER_LIBRARIES = $(addsuffix $(DLSUFFIX), dynamo_citus dynamo_api dynamo_http dynamo_faults)

all: $(OTHER_LIBRARIES)

install: install-libraries

install-libraries: $(OTHER_LIBRARIES) installdirs
	$(INSTALL_SHLIB) $(OTHER_LIBRARIES) '$(DESTDIR)$(pkglibdir)/'

uninstall: uninstall-libraries

uninstall-libraries:
	rm -f $(addprefix '$(DESTDIR)$(pkglibdir)'/, $(OTHER_LIBRARIES))

.PHONY: install-libraries uninstall-libraries

# dynamo-move, a client program on libcurl, jansson and libpq, only if it is asked for:
# `make move`.  `make install` installs it if it is there.
MOVE_PROGRAM = dynamo-move
MOVE_CFLAGS = -O2 -g
MOVE_SOURCES := $(sort $(wildcard move/*.c))

move: $(MOVE_PROGRAM)

$(MOVE_PROGRAM): $(MOVE_SOURCES) move/move.h META.json
	$(CC) -std=gnu11 -D_GNU_SOURCE -DMOVE_VERSION='"$(VERSION)"' -Wall -Wextra $(COPT) $(MOVE_CFLAGS) \
		-I$(shell $(PG_CONFIG) --includedir) -I/usr/include/postgresql -o $@ $(MOVE_SOURCES) $(MOVE_LDFLAGS) -L$(shell $(PG_CONFIG) --libdir) \
		-lcurl -ljansson -lpq -lcrypto -lz -lm -lpthread

install: $(if $(wildcard dynamo-move),install-move)

install-move: installdirs
	$(MKDIR_P) '$(DESTDIR)$(bindir)'
	$(INSTALL_PROGRAM) dynamo-move '$(DESTDIR)$(bindir)/'

uninstall: uninstall-move

uninstall-move:
	rm -f '$(DESTDIR)$(bindir)/dynamo-move'

.PHONY: move install-move uninstall-move

# What clang, as CC, says of the sources, without making code of them.  Headers that many files
# include are read once: those that know no nodes, one of which has the name of a type of ours.
SYNTAX_FLAGS = $(CPPFLAGS) $(if $(filter yes,$(WITH_ZSTD)),-DDYNAMO_ZSTD) $(CFLAGS)
COMMON_HEADERS = postgres.h fmgr.h miscadmin.h access/htup_details.h access/xact.h catalog/pg_class.h utils/builtins.h \
	utils/lsyscache.h utils/memutils.h utils/relcache.h utils/snapmgr.h

syntax:
	mkdir -p build
	printf '#include "%s"\n' $(COMMON_HEADERS) >build/common.h
	$(CC) $(SYNTAX_FLAGS) -x c-header -o build/common.pch build/common.h
	printf '%s\n' $(ALL_OBJS:.o=.c) | xargs -P 2 -n 140 $(CC) $(SYNTAX_FLAGS) -include-pch build/common.pch -fsyntax-only

.PHONY: syntax

# Plans that a test forces cost so much that they would be compiled, for minutes in all.
installcheck: export PGOPTIONS := $(PGOPTIONS) -c jit=off

# The archive of a release, from the commit that is checked out.
VERSION := $(shell sed -n 's/^   "version": "\(.*\)",$$/\1/p' META.json)

dist:
	@git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo 'make dist: this is not a clone of the repository' >&2; exit 1; }
	@git diff --quiet HEAD || { echo 'make dist: there are changes that are not committed, which the archive would not contain' >&2; exit 1; }
	prove -q test/lint/release.pl
	git archive --format=tar.gz --prefix=dynamo-$(VERSION)/ -o dynamo-$(VERSION).tar.gz HEAD

.PHONY: dist

# The distances of vectors are computed with vector instructions.
src/vector/distance.o src/vector/sketch.o: CFLAGS += $(CFLAGS_VECTORIZE)

# An object is compiled again if a header changes that it includes.
$(ALL_OBJS): override CPPFLAGS += -MMD -MP
-include $(ALL_OBJS:.o=.d)
