"""The running API keeps what its OpenAPI document promises, whatever is sent: schemathesis with all its checks.

One exception: that every text of its kind is taken cannot be promised of what other tools print, sent as text/plain.
A short run for every day; `make fuzz-api` runs longer.
"""

import os
from datetime import UTC, datetime
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.security.world import build

EXAMPLES = int(os.environ.get("EXAMPLES") or 4)


# Of all times there are, nearly none is of this age.
_TIMES = st.datetimes(datetime(1990, 1, 1), datetime(2100, 12, 31), timezones=st.just(UTC))
schemathesis.openapi.format("date-time", _TIMES.map(datetime.isoformat))


@schemathesis.serializer("application/jsonl")
def as_lines(_context: Any, value: Any) -> bytes:
    return str(value).encode()


@pytest.mark.django_db(transaction=True)
def test_it_works(live_server: Any) -> None:
    build()
    contract = schemathesis.openapi.from_url(f"{live_server.url}/api/v1/schema/?format=json")
    operations = [cast(Any, found).ok() for found in contract.get_all_operations()]
    assert len(operations) > 20
    for operation in operations:
        _try(operation)


def _is_log(case: Any) -> bool:
    return bool(case.path == "/api/v1/submissions/" and case.media_type == "text/plain")


def _try(operation: Any) -> None:
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=EXAMPLES < 50,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def keeps_its_promise(case: Any) -> None:
        untold = [positive_data_acceptance] if _is_log(case) else []
        case.call_and_validate(excluded_checks=untold)

    keeps_its_promise()
