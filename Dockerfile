# One image for everything of ours: web, worker and management commands.
#     docker build --build-arg PYTHON_IMAGE=registry.example/python:3.13-slim .
ARG PYTHON_IMAGE=python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS packages
WORKDIR /app
COPY pyproject.toml uv.lock ./
COPY flashdb/bootstrap.py flashdb/
# Exactly uv.lock without test tools and servers, with the uv that bootstrap.py pins.
RUN UV_NO_DEFAULT_GROUPS=1 UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1 python3 flashdb/bootstrap.py

FROM ${PYTHON_IMAGE}
RUN useradd --system --no-create-home --shell /usr/sbin/nologin flashdb && install --directory --owner flashdb /files
WORKDIR /app
ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 STATIC_ROOT=/app/static
# Without them each thread takes a heap of its own, and a body of 8 MB stays in it for ever.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
COPY --from=packages /app/.venv .venv
COPY . .
# Collecting connects to nothing and keeps nothing, but settings want a database and secrets.
RUN python -m compileall -q api flashdb submissions \
    && random() { python -c "import secrets; print(secrets.token_hex(32))"; } \
    && SECRET_KEY=$(random) IDENTITY_SECRET=$(random) ALLOWED_HOSTS=localhost DATABASE_URL=postgresql:///build \
    python manage.py collectstatic --no-input --verbosity 0
USER flashdb
EXPOSE 8000
CMD ["gunicorn", "flashdb.wsgi", "--config", "python:flashdb.web_server", "--bind", "0.0.0.0:8000"]
