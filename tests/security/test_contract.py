"""The running API keeps what its OpenAPI document promises, whatever is sent: schemathesis with all its checks but one.

What a schema cannot say, such as which cursors there are and which texts are of a card, it cannot promise to accept.
A short run for every day; `make fuzz-api` runs longer.
"""

import os
from typing import Any, cast

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.security.world import build

EXAMPLES = int(os.environ.get("EXAMPLES") or 4)


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
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    keeps_its_promise()
