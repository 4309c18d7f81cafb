"""The OpenAPI document against the running application: no 500, no answer that is not described.

Schemathesis makes requests from the document, sound ones and broken ones, as a writer who is signed
in with an open drawer; on both engines.
"""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from app.web import create_app
from tests.depth import IS_PROOF
from tests.floor import Floor

# Every day a few for each operation; in the long evidence as many as find what is rare.
EXAMPLES = 750 if IS_PROOF else 4
CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.mark.rule("X-access", "X-recovery")
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode))
def test_every_operation_answers_as_it_is_described(
    floor: Floor, mode: schemathesis.GenerationMode
) -> None:
    app = create_app(floor.office)
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    wanda = floor.writing()
    floor.sell(wanda)
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        takes = (*operation.body, *operation.path_parameters, *operation.headers)
        if mode.is_negative and not takes:
            continue  # there is nothing to get wrong

        @settings(
            max_examples=EXAMPLES,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: "schemathesis.Case[Any]") -> None:
            headers = {"X-Station": wanda.station, "Authorization": f"Bearer {wanda.token}"}
            if case.path.endswith("/sign-out"):
                headers = {}  # or nobody would be signed in any more
            response = case.call(headers=headers)
            case.validate_response(response, checks=CHECKS)

        ask()
    floor.check_books()
