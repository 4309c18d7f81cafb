"""Helpers of `test_books` that other tests use too."""

import json
from dataclasses import replace

from app.audit.entries import make_entry
from app.audit.tags import Tag
from app.keno.tender import Tender, TenderKind
from tests.floor import BANK, SECOND_STATION, WALT, Floor, dollar
from tests.looking import rows

COUPON = (Tender(TenderKind.COUPON, 60, "C1"), Tender(TenderKind.CHIPS, 100))


def busy(floor: Floor) -> None:
    """A house in which every kind of thing has happened.

    Tickets 1 (one game), 2 (three games) and 3 (void) of M-1, which is locked; 4 with a coupon
    and 5 (void) of M-2, which is open; 6 of F-100. Wanda's drawer is closed, Walt's is open.
    """
    wanda = floor.writing()
    floor.sell(wanda)
    floor.sell(wanda, dollar(games=3))
    floor.sell(wanda)
    floor.void(wanda, 3)
    floor.lock()
    ((drawer,),) = rows(floor, "SELECT id FROM drawer")
    floor.close_drawer(wanda, drawer, BANK)
    walt = floor.writing(WALT, SECOND_STATION)
    floor.sell(walt, replace(dollar(), tender=COUPON))
    floor.sell(walt, dollar(games=2))
    floor.void(walt, 5)
    floor.sell(walt, dollar("F"))
    floor.check_books()


Planted = tuple[str, list[str], dict[str, list[str]]]

UNLIKE_ITS_CLOSE = [
    "drawer 1 was not closed against what it held",
    "what drawer 1 was over or short is not the difference",
]

# What is done to the database, and what exactly is found.
PLANTED: dict[str, Planted] = {
    "the counter was moved on": (
        "X-ticket-gapless",
        ["UPDATE counter SET value = 7 WHERE name = 'ticket'"],
        {"numbers": ["the tickets are not 1 to 7, each once"]},
    ),
    "the counter was moved back": (
        "X-ticket-gapless",
        ["UPDATE counter SET value = 5 WHERE name = 'ticket'"],
        {"numbers": ["the tickets are not 1 to 5, each once"]},
    ),
    "an empty game is gone from the middle": (
        "X-ticket-gapless",
        ["UPDATE game SET number = 4 WHERE series = 'F' AND number = 101"],
        {
            "numbers": ["the games of series F are not 100 and on, each once"],
            "cards": ["game F-101 opened, and is not there"],
        },
    ),
    "a ticket became cheaper in its row": (
        "15.4(a)",
        ["UPDATE ticket SET price_per_game_cents = 50, price_cents = 50 WHERE number = 1"],
        {
            "prices": [
                "ticket 1 does not cost what its plays cost",
                "ticket 1 is outside the limits of its card",
            ],
            "sold files": ["the lock of M-1 does not say what was sold"],
            "money": [
                "ticket 1 did not make its price prepaid",
                "what ticket 1 was paid with is not where it belongs",
                "write is not the price of the games that were locked",
            ],
            "entries": ["ticket 1 is not what its entry says"],
        },
    ),
    "a ticket plays on another card": (
        "X-card-version",
        [
            (
                "INSERT INTO card (hash, name, file, staff, brought_at, entry) "
                "SELECT :other, name, file, staff, brought_at, (SELECT max(id) FROM log_entry) "
                "FROM card"
            ),
            "UPDATE ticket SET card = (SELECT max(id) FROM card) WHERE number = 6",
        ],
        {
            "cards": ["card 000102030405 is not the file that was brought"],
            "prices": ["ticket 6 is not on the card of its first game"],
            "entries": ["ticket 6 is not what its entry says"],
            "facts": ["the card :named has another's entry"],
        },
    ),
    "a game is on another card": (
        "X-card-version",
        ["UPDATE game SET card = card + 1 WHERE series = 'F' AND number = 101"],
        {"cards": ["game F-101 is not as it opened"]},
    ),
    "a game opened at another time": (
        "X-card-version",
        ["UPDATE game SET opened_at = :late WHERE series = 'F' AND number = 101"],
        {"cards": ["game F-101 is not as it opened"]},
    ),
    "another file is kept for a card": (
        "X-card-version",
        ["UPDATE card SET file = file || ' '"],
        {
            "cards": ["card :digest is not the file that was brought"],
            "facts": ["the card :named is not what its entry says"],
        },
    ),
    "what is kept for a card is none": (
        "X-card-version",
        ["UPDATE card SET file = ''"],
        {
            "cards": ["card :digest is not the file that was brought"],
            "facts": ["the card :named is not what its entry says"],
        },
    ),
    "a card holds from another time": (
        "X-card-version",
        ["UPDATE card_term SET effective_at = :late"],
        {"facts": ["the term of :named is not what its entry says"]},
    ),
    "nobody accepted a card": (
        "8.3",
        ["DELETE FROM card_acceptance"],
        {
            "facts": [
                "entry :by_sam tells of what is not there (CARD-ACCEPTED)",
                "entry :by_max tells of what is not there (CARD-ACCEPTED)",
            ]
        },
    ),
    "somebody else accepted a card": (
        "8.3",
        [
            (
                "UPDATE card_acceptance SET staff = (SELECT id FROM staff WHERE code = 'WALT') "
                "WHERE consent = 'manager'"
            )
        ],
        {"facts": ["the acceptance of :named as manager is not what its entry says"]},
    ),
    "a writer became a supervisor": (
        "X-access",
        ["UPDATE staff SET role = 'supervisor' WHERE code = 'WALT'"],
        {"people": ["WALT is supervisor, and was added as writer"]},
    ),
    "somebody was sent away without a word": (
        "X-access",
        ["UPDATE staff SET disabled_at = :late WHERE code = 'WALT'"],
        {"people": ["whether WALT is disabled is not what the log says"]},
    ),
    "somebody came without a word": (
        "X-access",
        [
            (
                "INSERT INTO staff (code, name, role, secret, failed_tries) "
                "VALUES ('EVE', 'Eve', 'supervisor', 'x', 0)"
            )
        ],
        {"people": ["EVE was never added"]},
    ),
    "somebody has a secret that another wrote": (
        "X-access",
        ["UPDATE staff SET secret = (SELECT secret FROM staff WHERE code = 'SAM') WHERE id = 2"],
        {"people": ["WALT has a secret of which the log does not tell"]},
    ),
    "a secret that is somebody's own became a given one": (
        "X-access",
        ["UPDATE staff SET secret_given = TRUE WHERE code = 'WALT'"],
        {"people": ["whether the secret of WALT was given is not what the log says"]},
    ),
    "somebody has another's name": (
        "X-access",
        ["UPDATE staff SET name = 'Sam Superviser' WHERE code = 'WALT'"],
        {"people": ["WALT has another name than they were added with"]},
    ),
    "a station is known by another token": (
        "X-access",
        ["UPDATE station SET token = :other WHERE code = 'B1'"],
        {"people": ["station B1 did not enrol as the log says"]},
    ),
    "somebody is signed in without a word": (
        "X-access",
        [
            (
                "INSERT INTO sign_in (token, staff, station, since, until) "
                "SELECT :other, 3, station, since, until FROM sign_in "
                "WHERE ended_at IS NULL AND staff = 1"
            )
        ],
        {"people": ["SAM is at B1, and did not sign in there"]},
    ),
    "a sign-in is another's": (
        "X-access",
        ["UPDATE sign_in SET staff = 3 WHERE staff = 1 AND ended_at IS NULL"],
        {"people": ["SAM is at B1, and did not sign in there"]},
    ),
    "a sign-in has a token that another knows": (
        "X-access",
        ["UPDATE sign_in SET token = :other WHERE staff = 1 AND ended_at IS NULL"],
        {"people": ["WANDA is at B1, and did not sign in there"]},
    ),
    "a station came without a word": (
        "X-access",
        [("INSERT INTO station (code, location) VALUES ('X9', (SELECT min(code) FROM location))")],
        {"people": ["station X9 was never added"]},
    ),
    "the house has another name": (
        "X-audit-books",
        ["UPDATE house SET jurisdiction = 'Elsewhere'"],
        {"people": ["the house is not the one that was founded"]},
    ),
    "a series has other times": (
        "X-audit-books",
        ["UPDATE series SET closes_minutes = 60 WHERE code = 'F'"],
        {"people": ["series F is not as the log says"]},
    ),
    "a paper is about another ticket": (
        "15.4(c)",
        ["UPDATE print_job SET payload = '{\"ticket\"\\:1}' WHERE entry = :entry_of_6"],
        {"copies": ["the paper of entry :entry_of_6 is about something else"]},
    ),
    "a game was opened again": (
        "X-lock-server",
        [
            "UPDATE game SET state = 'open' WHERE series = 'M' AND number = 1",
        ],
        {
            "locks": ["game M-1 and its LOCK entry do not agree"],
            "money": [
                "prepaid is not the price of the games still to be locked",
                "write is not the price of the games that were locked",
            ],
        },
    ),
    "a game was locked by hand": (
        "X-lock-server",
        [
            (
                "UPDATE game SET state = 'locked', locked_at = :late, tickets = 0, "
                "handle_cents = 0, lock_entry = (SELECT max(id) FROM log_entry) "
                "WHERE series = 'F' AND number = 101"
            )
        ],
        {
            "locks": ["game F-101 and its LOCK entry do not agree"],
            "draws in turn": ["game F-101 was locked before the one before it was drawn"],
            "facts": ["the lock of F-101 has another's entry"],
        },
    ),
    "the time of a lock was moved before its sales": (
        "15.3(c)",
        ["UPDATE game SET locked_at = opened_at WHERE series = 'M' AND number = 1"],
        {"facts": ["the lock of M-1 is not what its entry says"]},
    ),
    "a ticket was moved back to a game that is locked": (
        "X-lock-server",
        ["UPDATE ticket SET first_game = 1, last_game = 1 WHERE number = 4"],
        {
            "locks": [
                "ticket 4 was sold behind the lock of its game in the log",
            ],
            "sold files": ["the lock of M-1 does not say what was sold"],
            "money": [
                "prepaid is not the price of the games still to be locked",
                "write is not the price of the games that were locked",
            ],
            "entries": ["ticket 4 is not what its entry says"],
        },
    ),
    "a ticket plays a game that never opened": (
        "X-lock-server",
        ["UPDATE ticket SET first_game = 77, last_game = 77 WHERE number = 4"],
        {
            "locks": ["ticket 4 was sold for a game that never opened"],
            "entries": ["ticket 4 is not what its entry says"],
        },
    ),
    "the count of a locked game was changed": (
        "X-lock-seal",
        ["UPDATE game SET tickets = 3 WHERE series = 'M' AND number = 1"],
        {
            "sold files": ["game M-1 does not say what its lock says"],
            "facts": ["the lock of M-1 is not what its entry says"],
        },
    ),
    "the handle of a locked game was changed": (
        "X-lock-seal",
        ["UPDATE game SET handle_cents = 199 WHERE series = 'M' AND number = 1"],
        {
            "sold files": ["game M-1 does not say what its lock says"],
            "facts": ["the lock of M-1 is not what its entry says"],
        },
    ),
    "a part of a tender became smaller": (
        "15.3(b)",
        ["UPDATE tender SET cents = 400 WHERE ticket = 1"],
        {
            "tender": ["the tender of ticket 1 does not add up"],
            "money": ["what ticket 1 was paid with is not where it belongs"],
            "entries": ["ticket 1 is not what its entry says"],
        },
    ),
    "cash became a coupon": (
        "15.3(b)",
        ["UPDATE tender SET kind = 'coupon', serial = 'C9' WHERE ticket = 1"],
        {
            "tender": [
                "ticket 1 was paid with more coupons than it costs",
                "the coupons are not spent on the tickets that they paid for",
            ],
            "money": ["what ticket 1 was paid with is not where it belongs"],
            "entries": ["ticket 1 is not what its entry says"],
        },
    ),
    "a coupon was set free": (
        "15.3(b)",
        ["UPDATE coupon SET ticket = NULL WHERE serial = 'C1'"],
        {"tender": ["the coupons are not spent on the tickets that they paid for"]},
    ),
    "a coupon was spent on another ticket": (
        "15.3(b)",
        ["UPDATE coupon SET ticket = 6 WHERE serial = 'C1'"],
        {"tender": ["the coupons are not spent on the tickets that they paid for"]},
    ),
    "a leg of a sale became smaller": (
        "X-drawer",
        [
            (
                "UPDATE posting SET cents = 490 WHERE cents = 500 AND account = 'drawer' "
                "AND entry = (SELECT entry FROM ticket WHERE number = 6)"
            )
        ],
        {
            "money": [
                "what entry :entry_of_6 moved does not add up to zero",
                "what ticket 6 was paid with is not where it belongs",
            ]
        },
    ),
    "cash in a drawer became chips": (
        "15.3(b)",
        [
            (
                "UPDATE posting SET kind = 'chips' WHERE cents = 500 AND account = 'drawer' "
                "AND entry = (SELECT entry FROM ticket WHERE number = 6)"
            )
        ],
        {"money": ["what ticket 6 was paid with is not where it belongs"]},
    ),
    "a price went to write before its lock": (
        "15.4(d)-pay",
        [
            (
                "UPDATE posting SET account = 'write' WHERE account = 'prepaid' "
                "AND entry = (SELECT entry FROM ticket WHERE number = 6)"
            )
        ],
        {
            "money": [
                "ticket 6 did not make its price prepaid",
                "prepaid is not the price of the games still to be locked",
                "write is not the price of the games that were locked",
            ]
        },
    ),
    "what a lock moved is gone": (
        "15.4(d)-pay",
        ["DELETE FROM posting WHERE entry IN (SELECT id FROM log_entry WHERE tag = 'LOCK')"],
        {
            "money": [
                "prepaid is not the price of the games still to be locked",
                "write is not the price of the games that were locked",
            ]
        },
    ),
    "what a void gave back is gone": (
        "15.4(e)-void",
        [
            "DELETE FROM posting WHERE entry = (SELECT entry FROM void WHERE ticket = 5)",
        ],
        {
            "money": [
                "the void of 5 did not give its price back",
                "the void of 5 did not give back what was paid",
                "prepaid is not the price of the games still to be locked",
            ]
        },
    ),
    "a void gave back chips for cash": (
        "15.3(b)",
        [
            (
                "UPDATE posting SET kind = 'chips' WHERE account = 'drawer' "
                "AND entry = (SELECT entry FROM void WHERE ticket = 5)"
            )
        ],
        {
            "money": ["the void of 5 did not give back what was paid"],
            "drawers": ["entry :void_of_5 took more out of a drawer than was in it"],
        },
    ),
    "an open drawer was declared closed": (
        "X-drawer",
        ["UPDATE drawer SET closed_at = opened_at WHERE closed_at IS NULL"],
        {
            "money": ["drawer 2 is closed and not empty"],
            "drawers": ["the drawers that are closed are not those that were counted"],
        },
    ),
    "a ticket plays other numbers": (
        "15.3(c)",
        ["UPDATE ticket SET play = replace(play, '[4,8,15,16]', '[4,8,15,17]') WHERE number = 1"],
        {"entries": ["ticket 1 is not what its entry says"]},
    ),
    "a sale was laid at another writer's door": (
        "15.4(c)10",
        ["UPDATE ticket SET staff = (SELECT id FROM staff WHERE code = 'SUE') WHERE number = 1"],
        {"entries": ["ticket 1 is not what its entry says"]},
    ),
    "a sale was laid at another station's door": (
        "15.4(c)2",
        ["UPDATE ticket SET station = (SELECT id FROM station WHERE code = 'S1') WHERE number = 1"],
        {"entries": ["ticket 1 is not what its entry says"]},
    ),
    "a sale became earlier than it was": (
        "15.4(c)1",
        ["UPDATE ticket SET sold_at = (SELECT min(opened_at) FROM game) WHERE number = 1"],
        {"entries": ["ticket 1 is not what its entry says"]},
    ),
    "a void got a supervisor's approval afterwards": (
        "15.4(e)-void",
        ["UPDATE void SET approver = (SELECT id FROM staff WHERE code = 'SUE') WHERE ticket = 3"],
        {"entries": ["the void of 3 is not what its entry says"]},
    ),
    "a void became earlier than it was": (
        "15.4(e)-list",
        ["UPDATE void SET voided_at = (SELECT min(opened_at) FROM game) WHERE ticket = 3"],
        {"entries": ["the void of 3 is not what its entry says"]},
    ),
    "a void got another reason": (
        "15.4(e)-list",
        ["UPDATE void SET reason = 'fat finger' WHERE ticket = 3"],
        {"entries": ["the void of 3 is not what its entry says"]},
    ),
    "the money of a sale went into another drawer": (
        "X-drawer",
        [
            (
                "UPDATE posting SET drawer = 1 WHERE account = 'drawer' "
                "AND entry = (SELECT entry FROM ticket WHERE number = 6)"
            )
        ],
        {
            "money": [
                "ticket 6 was paid for into a drawer that is not its own",
                "drawer 1 is closed and not empty",
            ],
            "drawers": UNLIKE_ITS_CLOSE,
        },
    ),
    "the money of a void came out of another drawer": (
        "X-drawer",
        [
            (
                "UPDATE posting SET drawer = 1 WHERE account = 'drawer' "
                "AND entry = (SELECT entry FROM void WHERE ticket = 5)"
            )
        ],
        {
            "money": [
                "the void of 5 was paid from a drawer that is not its own",
                "drawer 1 is closed and not empty",
            ],
            "drawers": [
                *UNLIKE_ITS_CLOSE,
                "entry :void_of_5 took more out of a drawer than was in it",
            ],
        },
    ),
    "a ticket is gone with all that was paid for it": (
        "X-ticket-gapless",
        [
            "DELETE FROM posting WHERE entry = (SELECT entry FROM ticket WHERE number = 6)",
            "DELETE FROM tender WHERE ticket = 6",
            "DELETE FROM ticket WHERE number = 6",
        ],
        {
            "numbers": ["the tickets are not 1 to 6, each once"],
            "entries": ["the TICKET entries are not those of the tickets"],
        },
    ),
    "a void is gone with all that it gave back": (
        "15.4(e)-void",
        [
            "DELETE FROM posting WHERE entry = (SELECT entry FROM void WHERE ticket = 5)",
            "DELETE FROM void WHERE ticket = 5",
        ],
        {"entries": ["the VOID entries are not those of the voids"]},
    ),
    "the last place was moved away": (
        "X-audit-log",
        ["UPDATE log_position SET position = 999 WHERE position = :sealed - 1"],
        {
            "log": [
                "the places are not 0 to :last, each once",
                "a leaf stands in another place than its entry",
            ]
        },
    ),
    "a signature was made up": (
        "X-audit-log",
        ["UPDATE log_checkpoint SET note = :unsigned WHERE size = :sealed"],
        {"log": ["the checkpoint of size :sealed: a signature by keno.example/test is wrong"]},
    ),
    "a void took another ticket back": (
        "15.4(e)-void",
        ["UPDATE void SET ticket = 1 WHERE ticket = 3"],
        {
            "entries": ["the void of 1 is not what its entry says"],
        },
    ),
    "a body was changed": (
        "X-audit-log",
        ["UPDATE log_entry SET body = replace(body, 'WANDA', 'SUE') WHERE id = :signed_in"],
        {
            "log": [
                "entry :signed_in: its leaf does not follow from its body",
                "a leaf stands in another place than its entry",
                "the head is not that of the entries",
                "the checkpoint of size :sealed states another head",
            ],
            "people": ["WANDA is at B1, and did not sign in there"],
        },
    ),
    "a body and its leaf were changed together": (
        "X-audit-log",
        ["UPDATE log_entry SET salt = :salt, body = :body, leaf = :leaf WHERE id = :signed_in"],
        {
            "log": [
                "a leaf stands in another place than its entry",
                "the head is not that of the entries",
                "the checkpoint of size :sealed states another head",
            ],
            "people": ["WANDA is at B1, and did not sign in there"],
        },
    ),
    "an entry was forgotten before it had a place": (
        "X-audit-log",
        ["DELETE FROM log_pending WHERE entry = (SELECT max(entry) FROM log_pending)"],
        {"log": ["the entries without a place are not those that wait for one"]},
    ),
    "a place was given away": (
        "X-audit-log",
        ["UPDATE log_position SET leaf = :other WHERE position = 3"],
        {"log": ["a leaf stands in another place than its entry"]},
    ),
    "the head was moved": (
        "X-audit-log",
        ["UPDATE log_head SET root = :other"],
        {"log": ["the head is not that of the entries"]},
    ),
    "the head is gone": (
        "X-audit-log",
        ["DELETE FROM log_head"],
        {"log": ["there is not one head"]},
    ),
    "a tile was made up": (
        "X-audit-log",
        ["INSERT INTO log_node (level, place, hash) VALUES (1, 0, :other)"],
        {"log": ["the stored tiles are not those of the entries"]},
    ),
}


def facts(floor: Floor) -> dict[str, object]:
    """What the planted faults refer to."""

    def one(found: str) -> int:
        return int(rows(floor, found)[0][0])

    signed_in = one("SELECT min(id) FROM log_entry WHERE tag = 'SIGN-IN'")
    ((body,),) = rows(floor, "SELECT body FROM log_entry WHERE id = :entry", entry=signed_in)
    ((note,), *_) = rows(floor, "SELECT note FROM log_checkpoint ORDER BY size DESC")
    forged = json.loads(body) | {"staff": "WALT"}
    del forged["label"], forged["version"]
    entry = make_entry(Tag.SIGN_IN, forged, bytes(32))
    return {
        "other": bytes(range(32)),
        "late": "2026-11-16T20:00:00.000000Z",
        "signed_in": signed_in,
        "salt": entry.salt,
        "body": entry.body,
        "leaf": entry.leaf,
        "void_of_5": one("SELECT entry FROM void WHERE ticket = 5"),
        "entry_of_6": one("SELECT entry FROM ticket WHERE number = 6"),
        "digest": rows(floor, "SELECT hash FROM card")[0][0].hex()[:12],
        "named": rows(floor, "SELECT name FROM card")[0][0],
        "by_sam": one("SELECT entry FROM card_acceptance WHERE consent = 'supervisor'"),
        "by_max": one("SELECT entry FROM card_acceptance WHERE consent = 'manager'"),
        "last": one("SELECT max(size) FROM log_checkpoint") - 1,
        "unsigned": f"{note[:-8]}AAAAAA=\n",
        "sealed": one("SELECT max(size) FROM log_checkpoint"),
    }
