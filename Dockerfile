# PostgreSQL with the extension and its HTTP endpoint, in the place of DynamoDB
# Local's image.  See docs/installation.md.
#
#	docker build -t dynamo .
#	docker run -p 127.0.0.1:8000:8000 -e DYNAMO_AUTHENTICATION=none -v dynamo:/var/lib/dynamo dynamo
#
# BASE is any image of Debian that has the packages of this version of PostgreSQL.

ARG BASE=debian:trixie-slim

FROM ${BASE} AS build
ARG POSTGRES=17
RUN apt-get update && \
	apt-get install -y --no-install-recommends gcc libc6-dev make postgresql-server-dev-${POSTGRES} libssl-dev libzstd-dev zlib1g-dev
COPY Makefile META.json dynamo.control dynamo--*.sql /project/
COPY src /project/src
RUN cd /project && export PG_CONFIG=/usr/lib/postgresql/${POSTGRES}/bin/pg_config && \
	make -j"$(nproc)" with_llvm=no && make with_llvm=no DESTDIR=/installed install && \
	mkdir -p /volume/lib /volume/share && \
	cp -R "/installed$($PG_CONFIG --pkglibdir)/." /volume/lib/ && \
	cp -R "/installed$($PG_CONFIG --sharedir)/extension" /volume/share/

# The files alone, to be mounted as an image volume (CloudNativePG).
FROM scratch AS volume
COPY --from=build /volume/ /

FROM ${BASE}
ARG POSTGRES=17
RUN mkdir -p /etc/postgresql-common/createcluster.d && \
	echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/none.conf && \
	apt-get update && \
	apt-get install -y --no-install-recommends postgresql-${POSTGRES} && \
	rm -rf /var/lib/apt/lists/* && \
	mkdir -p /var/lib/dynamo && chown postgres: /var/lib/dynamo
COPY --from=build /installed/ /
COPY packaging/container/dynamo-start packaging/container/dynamo-health /usr/local/bin/
ENV PATH=/usr/lib/postgresql/${POSTGRES}/bin:/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8
USER postgres
VOLUME /var/lib/dynamo
EXPOSE 8000 5432
STOPSIGNAL SIGINT
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["dynamo-health"]
ENTRYPOINT ["dynamo-start"]
