# dynamo: DynamoDB's single-table design inside PostgreSQL.
#
# An ordinary PGXS makefile: `make`, `make install` and `make installcheck`
# work against the server that PG_CONFIG names.

EXTENSION = dynamo
MODULE_big = dynamo
DATA = $(sort $(wildcard dynamo--*.sql))
PGFILEDESC = "dynamo - DynamoDB single-table design for PostgreSQL"

# Two libraries: dynamo, and the HTTP endpoint, which only its workers load.
OBJS := $(patsubst %.c,%.o,$(sort $(filter-out src/http/%,$(wildcard src/*.c src/*/*.c))))
HTTP_OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/http/*.c)))

# Every file of sql/ is a test of its own and needs no other one.  The database is
# the same whatever the server's encoding and locale.
REGRESS := $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=dynamo --encoding=UTF8 --no-locale

# Concurrency: specs/ and expected/ below test/isolation.
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test/isolation --outputdir=test/isolation --load-extension=dynamo \
	--encoding=UTF8 --no-locale

EXTRA_CLEAN = $(OBJS:.o=.d) $(HTTP_OBJS) $(HTTP_OBJS:.o=.d) dynamo_http$(DLSUFFIX)

PG_CONFIG ?= pg_config

# PostgreSQL's headers are system headers here, so that -Wextra speaks of our
# code only.  Symbols are hidden unless fmgr needs them (16 does so by itself).
PG_CPPFLAGS = -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-fvisibility=hidden

# zlib, which the server is linked with, too.
SHLIB_LINK = -lz

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# The endpoint needs OpenSSL, where the server is built with it, and what dynamo exports
# (test/exports), which stands beside it.
HTTP_LINK = -lz -L. -l:dynamo$(DLSUFFIX) -Wl,-rpath,'$$ORIGIN'
ifeq ($(with_ssl),openssl)
HTTP_LINK += -lssl -lcrypto
endif

dynamo_http$(DLSUFFIX): $(HTTP_OBJS) dynamo$(DLSUFFIX)
	$(CC) $(CFLAGS) -shared -o $@ $(HTTP_OBJS) $(LDFLAGS) $(LDFLAGS_SL) $(HTTP_LINK)

all: dynamo_http$(DLSUFFIX)

install: install-http

install-http: dynamo_http$(DLSUFFIX) installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/$<'

uninstall: uninstall-http

uninstall-http:
	rm -f '$(DESTDIR)$(pkglibdir)/dynamo_http$(DLSUFFIX)'

.PHONY: install-http uninstall-http

# Plans that a test forces cost so much that they would be compiled, for minutes in all.
installcheck: export PGOPTIONS := $(PGOPTIONS) -c jit=off

# The archive of a release, from the commit that is checked out.
VERSION := $(shell sed -n 's/^   "version": "\(.*\)",$$/\1/p' META.json)

dist:
	prove -q test/lint/release.pl
	git archive --format=tar.gz --prefix=dynamo-$(VERSION)/ -o dynamo-$(VERSION).tar.gz HEAD

.PHONY: dist

# The distances of vectors are computed with vector instructions.
src/vector/distance.o src/vector/sketch.o: CFLAGS += $(CFLAGS_VECTORIZE)

# An object is compiled again if a header changes that it includes.
$(OBJS) $(HTTP_OBJS): override CPPFLAGS += -MMD -MP
-include $(OBJS:.o=.d) $(HTTP_OBJS:.o=.d)
