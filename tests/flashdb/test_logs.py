"""Log lines can be found by the id of a request, and contain nothing private about visitors."""

import json
import logging

import pytest
from django.test import Client

from flashdb.logs import Context, JsonLines


def line(record: logging.LogRecord) -> dict[str, object]:
    Context().filter(record)
    parsed: dict[str, object] = json.loads(JsonLines().format(record))
    return parsed


@pytest.fixture
def request_records(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, logger="flashdb.requests")
    return caplog


@pytest.mark.django_db
def test_it_works(client: Client, request_records: pytest.LogCaptureFixture) -> None:
    response = client.get("/health/?q=my+secret", headers={"X-Request-ID": "abc-12345"})
    assert response["X-Request-ID"] == "abc-12345"
    (record,) = [record for record in request_records.records if record.name == "flashdb.requests"]
    entry = line(record)
    assert (entry["method"], entry["path"], entry["status"]) == ("GET", "/health/", 200)
    assert "secret" not in json.dumps(entry)


@pytest.mark.django_db
@pytest.mark.parametrize("proposed", ["", "short", "a b c d e f g h", "x" * 65, 'quote"and\\slash'])
def test_an_id_that_is_none_is_replaced(client: Client, proposed: str) -> None:
    answered = client.get("/health/", headers={"X-Request-ID": proposed})["X-Request-ID"]
    assert len(answered) == 32
    assert answered != proposed


def test_a_line_is_one_json_object() -> None:
    record = logging.LogRecord("a.logger", logging.INFO, "file", 1, "two\nlines of %s", ("text",), None)
    record.submission = "abcdefghjkmn"
    entry = line(record)
    assert entry["message"] == "two\nlines of text"
    assert (entry["level"], entry["logger"], entry["submission"]) == ("INFO", "a.logger", "abcdefghjkmn")
    assert "request_id" not in entry


def test_a_trace_is_part_of_the_line() -> None:
    try:
        raise ValueError("what went wrong")
    except ValueError as error:
        raised = (type(error), error, error.__traceback__)
    record = logging.LogRecord("a.logger", logging.ERROR, "file", 1, "broken", (), raised)
    assert "what went wrong" in str(line(record)["exception"])
