"""What a station is told while the database is away: ask again in the same way, and it is known."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.flow.access import Credentials
from app.web import create_app
from tests.floor import Floor
from tests.lending import address, new_database
from tests.postgres import Server, mortal_server

SALE = {
    "series": "M",
    "source": "request",
    "request": {"groups": [[4, 8, 15, 16]], "conditioning": "1/4 @ 1.00"},
    "tender": [{"kind": "currency", "cents": 500}],
}


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[tuple[Floor, Server]]:
    with mortal_server() as server:
        floor = Floor.opened(address(server.url, new_database(server.url)), tmp_path)
        yield floor, server
        floor.close()


def headers(person: Credentials, request: str) -> dict[str, str]:
    return {
        "X-Station": person.station or "",
        "Authorization": f"Bearer {person.token}",
        "Idempotency-Key": request,
    }


@pytest.mark.rule("X-recovery", "X-ticket-exactly-once", "X-no-offline")
def test_a_station_is_told_to_ask_again_and_is_sold_one_ticket(
    mortal: tuple[Floor, Server],
) -> None:
    floor, server = mortal
    wanda = floor.writing()
    client = create_app(floor.office).test_client()

    def sell() -> tuple[int, str | int]:
        answer = client.post("/api/v1/tickets", json=SALE, headers=headers(wanda, "request-sale"))
        told = answer.get_json(force=True)
        return answer.status_code, told.get("code") or told["number"]

    server.kill()
    assert sell() == (503, "database.away")
    page = client.get("/results", headers={"Accept": "text/html"})
    assert page.status_code == 503
    assert b"does not answer" in page.data
    server.start()
    # Connections from before may be found broken, each of them once at the most.
    told = [sell() for _ in range(3)]
    assert told[-1] == (201, 1)
    assert {each for each in told if each != (201, 1)} <= {(503, "database.away")}
    floor.check_books()
