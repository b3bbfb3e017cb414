"""A command runs with a PostgreSQL and a Redis of its own."""

import json
import os
import sys
from pathlib import Path

import psycopg
import pytest
import redis

from flashdb.local_services import LocalServicesError, local_services
from flashdb.local_services.binaries import Program, _first_running, find_redis

from .supervision import descendants, end, is_root, query, start, supervise

USE_BOTH = """
import os, psycopg, redis
psycopg.connect(os.environ["DATABASE_URL"]).execute("select 1")
print(redis.from_url(os.environ["REDIS_URL"]).ping())
"""


def test_it_works():
    finished = supervise("--temporary", "--", sys.executable, "-c", USE_BOTH)
    assert (finished.returncode, finished.stdout) == (0, "True\n")
    assert finished.stderr.startswith("PostgreSQL ")
    assert finished.stderr.count("\n") == 1


def test_it_works_inside_python(ready_state):
    with local_services(ready_state) as services:
        psycopg.connect(services.database_url).close()
        assert redis.from_url(services.redis_url).ping()
        assert services.environment == {
            "DATABASE_URL": services.database_url,
            "REDIS_URL": services.redis_url,
        }
        assert descendants(os.getpid()) >= {child.pid for child in services.children}
    assert not (ready_state / "run").exists()


def test_data_stays_for_the_next_run(ready_state):
    supervise("--state", ready_state, "--", *query("create table kept as select 42 as n; select 1"))
    assert supervise("--state", ready_state, "--", *query("select n from kept")).stdout == "42\n"


def test_temporary_data_goes(folder):
    finished = supervise("--temporary", "--", "true", env=os.environ | {"TMPDIR": str(folder)})
    assert finished.returncode == 0
    assert list(folder.iterdir()) == []


def test_what_a_killed_temporary_run_left_goes_with_the_next(folder):
    env = os.environ | {"TMPDIR": str(folder)}
    end(start("--temporary", env=env), 9)
    assert len(list(folder.iterdir())) == 1
    supervise("--temporary", "--", "true", env=env)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("command", "status"), [("exit 7", 7), ("kill -KILL $$", 137)])
def test_it_returns_the_status_of_the_command(command, status):
    env = os.environ | {"DATABASE_URL": "postgresql://a/b", "REDIS_URL": "redis://a"}
    assert supervise("--", "sh", "-c", command, env=env).returncode == status


def test_it_refuses_an_unknown_command():
    env = os.environ | {"DATABASE_URL": "postgresql://a/b", "REDIS_URL": "redis://a"}
    finished = supervise("--", "no-such-command", env=env)
    assert finished.returncode == 127
    assert "cannot run no-such-command: No such file or directory" in finished.stderr


def test_it_refuses_no_command():
    assert supervise("--temporary").returncode == 2


OWN_SERVERS = {"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://r/1"}


def test_servers_of_your_own_are_left_alone(state):
    env = os.environ | OWN_SERVERS | {"SECRET_KEY": "mine", "IDENTITY_SECRET": "mine, too"}
    finished = supervise("--state", state, "--", "sh", "-c", 'echo "$DATABASE_URL $REDIS_URL"', env=env)
    assert finished.stdout == "postgresql://db/x redis://r/1\n"
    assert finished.stderr == "PostgreSQL from DATABASE_URL, Redis from REDIS_URL\n"
    assert not state.exists()


@pytest.mark.parametrize("kept", ["SECRET_KEY", "IDENTITY_SECRET"])
def test_beside_servers_of_your_own_only_a_secret_that_lacks_is_kept(state, kept):
    env = os.environ | OWN_SERVERS | {"SECRET_KEY": "mine", "IDENTITY_SECRET": "mine, too"}
    del env[kept]
    finished = supervise("--state", state, "--", "sh", "-c", f'echo "${kept}"', env=env)
    assert [path.name for path in state.iterdir()] == ["secrets.json"]
    assert finished.stdout.strip() == json.loads((state / "secrets.json").read_text())[kept]


def test_one_server_of_your_own(state):
    env = os.environ | {"DATABASE_URL": "postgresql://db/x"}
    finished = supervise("--state", state, "--", "sh", "-c", "echo $REDIS_URL", env=env)
    assert finished.stdout.startswith("unix://")
    assert list(state.glob("pg-*")) == []


def test_a_second_copy_is_refused_in_words_and_runs_with_a_state_of_its_own(ready_state):
    first = start("--state", ready_state)
    try:
        second = supervise("--state", ready_state, "--", "true")
        beside = supervise("--temporary", "--", *query("select 1"))
    finally:
        end(first)
    assert second.returncode == 1
    assert f"another copy (pid {first.pid}) is using {ready_state}" in second.stderr
    assert "set FLASHDB_STATE" in second.stderr
    assert (beside.returncode, beside.stdout) == (0, "1\n")


@pytest.mark.skipif(is_root(), reason="root may write everywhere")
def test_a_state_of_somebody_else_is_refused():
    refused = supervise("--state", "/flashdb-state", "--", "true")
    assert refused.returncode == 1
    assert "set FLASHDB_STATE to a directory that you can write to" in refused.stderr


def test_a_file_in_place_of_the_state_is_refused(folder):
    (folder / "file").touch()
    refused = supervise("--state", folder / "file", "--", "true")
    assert (refused.returncode, "cannot use" in refused.stderr) == (1, True)


# Tests of the choice of servers ----------------------------------------------------------------------


def test_what_is_on_path_comes_before_the_wheel(monkeypatch):
    redis_folder = Path(find_redis(None).program.executable).parent
    monkeypatch.setenv("PATH", str(redis_folder), prepend=os.pathsep)
    assert find_redis(None).program.origin == "PATH"


def test_a_server_that_goes_by_the_name_of_a_link_works(folder, monkeypatch):
    """On Debian 13 redis-server is a link to redis-check-rdb, which depends on the name by which it is called."""
    program = folder / "redis-check-rdb"
    program.write_text('#!/bin/sh\n[ "${0##*/}" = redis-server ] && echo "Redis server v=8.0.2 sha=0"\n')
    program.chmod(0o755)
    (folder / "redis-server").symlink_to(program)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    assert str(find_redis(None)) == "Redis 8.0.2 (PATH)"


def test_no_server_at_all_is_said_with_the_remedy():
    with pytest.raises(LocalServicesError, match=r"none found.*set DATABASE_URL and REDIS_URL"):
        _first_running("Redis", lambda: iter(()), None)


def test_a_server_that_does_not_run_is_passed_over():
    broken = Program(executable=Path("/bin/false"), origin="broken")
    working = find_redis(None).program
    assert _first_running("Redis", lambda: iter((broken, working)), None).program == working
