# dynamo: DynamoDB's single-table design inside PostgreSQL.
#
# An ordinary PGXS makefile: `make`, `make install` and `make installcheck`
# work against the server that PG_CONFIG names.

EXTENSION = dynamo
MODULE_big = dynamo
DATA = dynamo--1.0.sql
PGFILEDESC = "dynamo - DynamoDB single-table design for PostgreSQL"

OBJS := $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/*/*.c)))

# Every file of sql/ is a test of its own and needs no other one.
REGRESS := $(patsubst sql/%.sql,%,$(sort $(wildcard sql/*.sql)))
REGRESS_OPTS = --load-extension=dynamo

# Concurrency: specs/ and expected/ below test/isolation.
ISOLATION := $(patsubst test/isolation/specs/%.spec,%,$(sort $(wildcard test/isolation/specs/*.spec)))
ISOLATION_OPTS = --inputdir=test/isolation --outputdir=test/isolation --load-extension=dynamo

PG_CONFIG ?= pg_config

# PostgreSQL's headers are system headers here, so that -Wextra speaks of our
# code only.  Symbols are hidden unless fmgr needs them (16 does so by itself).
PG_CPPFLAGS = -Isrc -isystem $(shell $(PG_CONFIG) --includedir-server)
PG_CFLAGS = -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers \
	-fvisibility=hidden

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# Any header may change any object; the tree is small enough to rebuild.
$(OBJS): $(sort $(wildcard src/*.h src/*/*.h))
