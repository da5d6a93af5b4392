# Build: docker build -t footnote .
# Run:   docker run --stop-timeout 30 --env-file .env -v footnote-data:/data footnote
# Both stages share one base, because the environment is copied from one to the other.

FROM python:3.12-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv /opt/footnote
# The packages come before the program: this layer is built again only when a lock file changes.
COPY requirements/build.txt requirements/full.txt requirements/
RUN /opt/footnote/bin/pip install --require-hashes -r requirements/full.txt \
    && pip install --require-hashes -r requirements/build.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY adapters adapters
COPY bot bot
COPY migrations migrations
COPY pipeline pipeline
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/footnote/bin/pip install --no-deps /wheels/footnote-*.whl

FROM python:3.12-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin footnote \
    && install --directory --owner=footnote --group=footnote /data
COPY --from=build /opt/footnote /opt/footnote
# 0.0.0.0 is the container's own network; publish the port only where its health and metrics are wanted.
ENV PATH=/opt/footnote/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    FOOTNOTE_DATA_DIR=/data \
    FOOTNOTE_HTTP__HOST=0.0.0.0 \
    FOOTNOTE_HTTP__PORT=8080
USER footnote
WORKDIR /data
VOLUME /data
EXPOSE 8080
# An opener without proxies: a proxy that is set for the models must not be asked for this machine's health.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "import os, urllib.request as u; u.build_opener(u.ProxyHandler({})).open('http://127.0.0.1:' + os.environ['FOOTNOTE_HTTP__PORT'] + '/healthz', timeout=4)"]
CMD ["footnote", "run"]
