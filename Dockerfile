# One image for web, worker and set-up; compose.yaml has the command of each.
# A test compares the steps with those of `make run`.

FROM debian:12-slim AS build
WORKDIR /app
# packages are not pinned: stable Debian keeps their versions and adds security updates
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends nodejs npm python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY requirements.txt requirements-data.txt ./
RUN python3 -m venv .venv \
    && .venv/bin/python -m pip install --no-cache-dir --require-hashes -r requirements.txt \
    && .venv/bin/python -m pip install --no-cache-dir --require-hashes --no-deps -r requirements-data.txt
COPY package.json package-lock.json .npmrc ./
COPY scripts/vendor.py scripts/
RUN npm ci --no-progress --omit=dev && python3 scripts/vendor.py

FROM debian:12-slim
WORKDIR /app
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ferret-datasets libncarg-data postgresql-client python3 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --home-dir /app --shell /usr/sbin/nologin chartroom \
    && install --directory --owner=chartroom --group=root --mode=2775 var /run/chartroom
COPY --from=build /app/.venv .venv
COPY . .
COPY --from=build /app/static/vendor static/vendor
# the container's account cannot write bytecode
RUN .venv/bin/python -m compileall -q app migrations
# NUMBA_CACHE_DIR is in the volume, because compiled kernels fit only the machine they run on
ENV ATLAS_DIR=/app/var/atlas \
    WEATHER_DIR=/app/var/weather \
    CHARTS_DIR=/app/var/charts \
    NUMBA_CACHE_DIR=/app/var/numba \
    PROMETHEUS_MULTIPROC_DIR=/run/chartroom \
    PYTHONPATH=/app \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LOG_FORMAT=json
USER 10001
VOLUME /app/var
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD [".venv/bin/python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
CMD [".venv/bin/python", "-m", "gunicorn", "--bind", "0.0.0.0:8000", "wsgi:app"]
