"""The description of API v1 for programs (OpenAPI 3.1); a test holds it against the routes."""

from importlib.metadata import version
from typing import Any

from flask import Blueprint, Response, jsonify

from app.flow.print_status import Level, Mark
from app.flow.refusals import REASON_MAX
from app.keno.conditioning_text import TEXT_MAX
from app.keno.drawer import DENOMINATIONS
from app.keno.money import LARGEST
from app.keno.spots import NUMBERS
from app.keno.standing import Stands
from app.keno.tender import TenderKind
from app.web.forms import CENTS_MAX, NUMBER_MAX, PARTS_MAX, PIECES_MAX, TICKETS_MAX
from app.web.routes import ANYONE, needs

Schema = dict[str, Any]
routes = Blueprint("openapi", __name__, url_prefix="/api/v1")


@routes.get("/openapi.json")
@needs(ANYONE)
def describe() -> Response:
    """Describe this API."""
    return jsonify(document())


def document() -> Schema:
    """Return the whole description."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Keno back office", "version": version("keno-back-office")},
        "servers": [{"url": "/api/v1"}],
        "paths": _paths(),
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {
                "station": {"type": "apiKey", "in": "header", "name": "X-Station"},
                "person": {"type": "http", "scheme": "bearer"},
            },
        },
    }


def _paths() -> Schema:
    which = _path_text("which", "The id of a sign-in.")
    number = _path_text("number", "A ticket's number, with its check digit or without: 12 or 12-5.")
    series, game = _path_text("series", "A series."), _path_text("number", "A game of it.")
    drawer = _path_text("drawer", "A drawer's number.")
    paper = _path_text("paper", "A paper's number.")
    job = _path_text("job", "A report that was asked for.")
    card = _path_text("card", "The hash of a rate card.")
    day = _path_text("day", "A gaming day, as 2026-12-01.")
    return {
        "/stations/enrol": {
            "post": _act("Enrol a work station", "Enrolment", "Enrolled", security=[])
        },
        "/sign-in": {
            "post": _act(
                "Sign in at this station", "SignIn", "SignedIn", security=[{"station": []}]
            )
        },
        "/secret": {
            "post": _act(
                "Choose a secret of one's own", "OwnSecret", "Nothing", security=[{"station": []}]
            )
        },
        "/sign-out": {"post": _act("Sign out", None, "Nothing")},
        "/sign-ins": {"get": _act("Where one is signed in oneself", None, "SignIns")},
        "/sign-ins/{which}": {
            "delete": _act("End one of one's own sign-ins", None, "Nothing", which)
        },
        "/games": {"get": _act("The newest games", None, "Games", security=[])},
        "/quote": {"post": _act("Price a request", "Request", "Quote")},
        "/spoken": {"post": _act("What a line as a writer types it means", "Spoken", "Heard")},
        "/acts/settle": {
            "post": _act("What became of an act without an answer", "Nothing", "Settled", once=True)
        },
        "/desk": {"get": _act("What a writer sees before anything is done", None, "Desk")},
        "/practice": {"post": _act("Practise a sale; nothing is sold", "Practice", "Practised")},
        "/tickets": {"post": _act("Sell a ticket", "Sale", "Sold", status=201, once=True)},
        "/tickets/{number}": {"get": _act("Look a ticket up", None, "Ticket", number)},
        "/tickets/{number}/look-up": {
            "post": _act("Look up a ticket that is in hand", "InHand", "Ticket", number)
        },
        "/tickets/{number}/lost": {
            "post": _act("Report a lost ticket", "Loss", "Lost", number, status=201, once=True)
        },
        "/tickets/{number}/pay-lost": {
            "post": _act("Pay a lost ticket by check", "LostPayment", "Pay", number, once=True)
        },
        "/tickets/{number}/picture": {"get": _picture("A ticket as it is printed", number)},
        "/tickets/{number}/void": {
            "post": _act("Void a ticket", "Voiding", "Voided", number, once=True)
        },
        "/tickets/{number}/refund": {
            "post": _act("Refund games not played", "Refunding", "Refunded", number, once=True)
        },
        "/tickets/{number}/present": {
            "post": _act("What a ticket is paid, and what is missing", "Presenting", "Pay", number)
        },
        "/tickets/{number}/pay": {"post": _act("Pay a ticket", "Paying", "Pay", number, once=True)},
        "/tickets/{number}/approve": {
            "post": _act("Approve a payment", "Approving", "PaymentApproved", number, once=True)
        },
        "/tickets/{number}/tax-paper": {
            "post": _act("File a tax paper", "TaxPaper", "TaxWorksheet", number, once=True)
        },
        "/games/{series}/{number}/lock": {
            "post": _act("Lock the open game", "Locking", "Locked", series, game)
        },
        "/games/{series}/{number}/close": {
            "post": _act("Override when a game closes", "Closing", "Closes", series, game)
        },
        "/games/{series}/{number}/void": {
            "post": _act("Ask for a locked game to be voided", "Reason", "Game", series, game)
        },
        "/unclaimed": {"get": _act("Wins that nobody has come for", None, "Unclaimed")},
        "/days/{day}": {"get": _act("Look at a closed day", None, "DayClosed", day)},
        "/days/{day}/close": {"post": _act("Close a gaming day", "Nothing", "DayClosed", day)},
        "/days/{day}/review": {
            "get": _act("What a manager looks at before the close", None, "Review", day),
            "post": _act("Sign that list", "Nothing", "Review", day),
        },
        "/days/{day}/cash": {"get": _act("Cash in and out by patron", None, "CashLog", day)},
        "/cards": {"post": _act("Bring a rate card", "CardFile", "CardBrought", status=201)},
        "/cards/check": {"post": _act("Check a rate card", "CardFile", "CardChecked")},
        "/cards/promotion": {
            "post": _act("Enter a promotion", "Promotion", "CardBrought", status=201)
        },
        "/cards/{card}/accept": {"post": _act("Accept a card", "Accepting", "CardBrought", card)},
        "/cards/{card}/force": {"post": _act("Publish a card", "Since", "CardForced", card)},
        "/sales/stop": {"post": _act("Stop a sale", "Stopping", "Stopped")},
        "/sales/resume": {"post": _act("Sell again what was stopped", "Resuming", "Resumed")},
        "/games/{series}/{number}/release": {
            "post": _act("Have a frozen game graded again", "Releasing", "Game", series, game)
        },
        "/staff": {"post": _act("Add a person", "Person", "Named", status=201)},
        "/staff/enable": {"post": _act("Let a person work again", "Enabling", "Named")},
        "/staff/secret": {"post": _act("Give a person a new secret", "NewSecret", "Named")},
        "/staff/standby": {"post": _act("Set the standby list", "Standby", "Named")},
        "/staff/emergency": {"post": _act("Name an emergency approver", "Enabling", "Named")},
        "/stations": {"post": _act("Add a station", "NewStation", "Enrolment", status=201)},
        "/stations/enable": {"post": _act("Let a station work again", "Coded", "Enrolment")},
        "/staff/disable": {"post": _act("Disable a person", "Named", "Named")},
        "/stations/disable": {"post": _act("Disable a work station", "Coded", "Coded")},
        "/stations/renew": {"post": _act("Have a station enrol again", "Coded", "Enrolment")},
        "/printers": {"post": _act("Set a printer, with a supervisor", "Placing", "Placed")},
        "/printers/use": {
            "post": _act("Print on another printer until the day ends", "Using", "Used")
        },
        "/drawers": {
            "post": _act("Open a drawer", "DrawerOpening", "DrawerOpened", status=201, once=True)
        },
        "/drawers/{drawer}": {"get": _act("Look at a drawer", None, "Drawer", drawer)},
        "/drawers/{drawer}/close": {
            "post": _act("Close a drawer", "DrawerClosing", "DrawerClosed", drawer, once=True)
        },
        **{
            f"/drawers/{{drawer}}/{act}": {
                "post": _act(
                    f"{act.capitalize()} a drawer", asked, "DrawerMoved", drawer, once=True
                )
            }
            for act, asked in (
                ("fill", "Movement"),
                ("bleed", "Movement"),
                ("suspend", "Words"),
                ("resume", "Words"),
                ("move", "Moving"),
                ("explain", "Words"),
            )
        },
        "/tickets/{number}/reprint": {
            "post": _act("Print a ticket again", "Reprinting", "Reprinted", number, once=True)
        },
        "/papers": {
            "get": _act("What is not printed yet of this station", None, "Papers"),
            "post": _act("Print a report or a test page", "Wanted", "Anything", once=True),
        },
        "/papers/{paper}": {"get": _act("What became of a paper", None, "Paper", paper)},
        "/papers/{paper}/picture": {
            "get": _picture(
                "What was on a paper, code masked",
                paper,
                _query("copy", "which copy, under its band; 0 is the first"),
                _query("roll", "80mm or 58mm; else as it was last printed"),
            )
        },
        "/papers/{paper}/printed": {
            "post": _act("Say whether a paper came out", "Seen", "SaidPrinted", paper, once=True)
        },
        "/papers/{paper}/reprint": {
            "post": _act("Print a paper again", "Reprinting", "Reprinted", paper, once=True)
        },
        "/reports": {
            "get": _act("The reports that there are, and those asked for", None, "Anything"),
            "post": _act("Ask for a report", "Report", "ReportJob", status=201, once=True),
        },
        "/bundles": {
            "post": _act(
                "Ask for a signed bundle of closed days",
                "Bundle",
                "ReportJob",
                status=201,
                once=True,
            )
        },
        "/reports/{job}/stop": {"post": _act("Stop a report", None, "ReportJob", job)},
        "/reports/{job}/again": {
            "post": _act(
                "Ask again for a report of a close of day", None, "ReportJob", job, status=201
            )
        },
        "/reports/{job}/file": {"get": _file("A report that is ready", job)},
        "/openapi.json": {"get": _act("This description", None, "Anything", security=[])},
    }


def _act(  # noqa: PLR0913  what an operation of OpenAPI has
    summary: str,
    asked: str | None,
    answered: str,
    *parameters: Schema,
    status: int = 200,
    once: bool = False,
    security: list[Schema] | None = None,
) -> Schema:
    """Return one operation; every one can be refused, with a problem document."""
    given = [*parameters, REQUEST_ID] if once else list(parameters)
    act: Schema = {
        "summary": summary,
        "parameters": given,
        "security": [{"station": [], "person": []}] if security is None else security,
        "responses": {
            str(status): {"description": "Done", "content": _json(answered)},
            "4XX": {
                "description": "Refused; the code says why, for good",
                "content": {"application/problem+json": {"schema": _ref("Problem")}},
            },
        },
    }
    if asked is not None:
        act["requestBody"] = {"required": True, "content": _json(asked)}
    return act


def _picture(summary: str, *parameters: Schema) -> Schema:
    act = _act(summary, None, "Anything", *parameters)
    act["responses"]["200"]["content"] = {"image/png": {}}
    return act


def _file(summary: str, *parameters: Schema) -> Schema:
    act = _act(summary, None, "Anything", *parameters)
    kinds = ("application/pdf", "text/csv", "application/json")
    act["responses"]["200"]["content"] = {kind: {} for kind in kinds}
    return act


def _json(name: str) -> Schema:
    return {"application/json": {"schema": _ref(name)}}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _path_text(name: str, description: str) -> Schema:
    return {
        "name": name,
        "in": "path",
        "required": True,
        "description": description,
        "schema": {"type": "string", "minLength": 1},
    }


def _query(name: str, description: str) -> Schema:
    return {"name": name, "in": "query", "description": description, "schema": {"type": "string"}}


def _object(required: list[str], **properties: Schema) -> Schema:
    """Return the form of an object that has these fields and no others."""
    return {
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": False,
    }


def _answer(**properties: Schema) -> Schema:
    """Return the form of an answer: these fields, and perhaps more in time."""
    return {"type": "object", "required": list(properties), "properties": properties}


def _whole(low: int = 0, high: int = LARGEST) -> Schema:
    return {"type": "integer", "minimum": low, "maximum": high}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list_of(schema: Schema, most: int | None = None) -> Schema:
    return {"type": "array", "items": schema} | ({} if most is None else {"maxItems": most})


REQUEST_ID: Schema = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "The station's request id: the same again is answered the same, for ever.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{8,40}$"},
}
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
CENTS = _whole(1, CENTS_MAX)
LINE = _object(
    ["rate_cents"],
    ways=_maybe(_whole()),
    spots=_maybe(_whole()),
    rate_cents=_whole(),
    schedule=_maybe(TEXT),
    sets=_maybe(_list_of(TEXT)),
)
REQUEST_FIELDS: dict[str, Schema] = {
    "groups": _maybe(_list_of(_list_of(NUMBER))),
    "kings": _maybe(_list_of(NUMBER)),
    "conditioning": {
        "anyOf": [{"type": "string", "maxLength": TEXT_MAX}, _list_of(LINE), {"type": "null"}]
    },
    "games": _maybe(_whole(1)),
    "price_cents": _maybe(_whole()),
}
REASON: Schema = {"type": "string", "minLength": 1, "maxLength": REASON_MAX}
PERSON = _object(["name", "secret"], name=TEXT, secret=TEXT)
APPROVAL = _maybe(PERSON)
PATRON = _object(["name", "document"], name=TEXT, document=TEXT)
CHECK = _object(["number", "payee"], number=TEXT, payee=TEXT)
CONTACT = _maybe(_object(["id"], id=TEXT, player_card=_maybe(TEXT)))
COUNTED = _object(
    [],
    **{
        kind.value: _maybe(
            {
                "anyOf": [
                    _whole(0, CENTS_MAX),
                    {"type": "object", "additionalProperties": _whole(0, PIECES_MAX)},
                ]
            }
        )
        for kind in DENOMINATIONS
    },
)
PRINTING = _answer(
    level={"enum": [level.value for level in Level]}, sentence=TEXT, waiting=_whole()
)
JUST_SOLD = _answer(
    number=NUMBER,
    printed_number=TEXT,
    series=TEXT,
    first_game=NUMBER,
    last_game=NUMBER,
    price_cents=NUMBER,
    sold_at=TEXT,
    void=FLAG,
    printing=_maybe(
        _answer(
            mark={"enum": [mark.value for mark in Mark]},
            label=TEXT,
            copy=NUMBER,
            why=_maybe(TEXT),
        )
    ),
)
SOLD_LINE = _answer(spots=NUMBER, ways=NUMBER, rate_cents=NUMBER, schedule=TEXT)

SCHEMAS: dict[str, Schema] = {
    "Problem": _answer(title=TEXT, status=NUMBER, code=TEXT),
    "Nothing": {"type": "object"},
    "Anything": {"type": "object"},
    "Enrolment": _object(["code", "enrolment"], code=TEXT, enrolment=TEXT),
    "Enrolled": _answer(station_token=TEXT),
    "SignIn": _object(["name", "secret"], name=TEXT, secret=TEXT),
    "SignedIn": _answer(token=TEXT, ended={"type": "array", "items": TEXT}),
    "SignIns": _answer(
        sign_ins=_list_of(_answer(id=TEXT, station=TEXT, since=TEXT, here={"type": "boolean"}))
    ),
    "OwnSecret": _object(["name", "secret", "new_secret"], name=TEXT, secret=TEXT, new_secret=TEXT),
    "Games": _answer(games=_list_of(_answer(series=TEXT, game=NUMBER, state=TEXT))),
    "Request": _object([], **REQUEST_FIELDS, quick_pick=_maybe(_whole(1, NUMBERS))),
    "Quote": _answer(
        type=TEXT,
        ways=NUMBER,
        lines=_list_of(SOLD_LINE),
        price_per_game_cents=NUMBER,
        games=NUMBER,
        price_cents=NUMBER,
        conditioning=TEXT,
    ),
    "Tender": _object(
        ["kind", "cents"],
        kind={"enum": [kind.value for kind in TenderKind]},
        cents=CENTS,
        serial=_maybe(TEXT),
    ),
    "Sale": _object(
        ["series", "source", "tender"],
        series=TEXT,
        first_game=_maybe(_whole(1)),
        source={
            "anyOf": [
                {"enum": ["request", "quick-pick"]},
                _object(["ticket"], ticket=_whole(1)),
            ]
        },
        request=_maybe(_ref("Request")),
        tender=_list_of(_ref("Tender"), PARTS_MAX),
        contact=CONTACT,
    ),
    "Sold": _answer(
        number=NUMBER,
        printed_number=TEXT,
        first_game=NUMBER,
        last_game=NUMBER,
        price_cents=NUMBER,
        change_cents=NUMBER,
        rate_card=TEXT,
    ),
    "Ticket": _answer(
        number=NUMBER,
        code=TEXT,
        series=TEXT,
        first_game=NUMBER,
        last_game=NUMBER,
        price_cents=NUMBER,
        standing={"enum": [stands.value for stands in Stands]},
        explanation=TEXT,
        win_cents=_maybe(NUMBER),
        refund_due_cents=NUMBER,
        games=_list_of(_answer(game=TEXT, state=TEXT)),
    ),
    "Voiding": _object(
        [],
        code=_maybe(TEXT),
        reason=_maybe(REASON),
        approval=APPROVAL,
        manager=APPROVAL,
        contact=CONTACT,
    ),
    "Refunding": _object(
        [],
        code=_maybe(TEXT),
        reason=_maybe(REASON),
        approval=APPROVAL,
        manager=APPROVAL,
        cancel=_maybe({"enum": ["yes", "no"]}),
        contact=CONTACT,
    ),
    "Refunded": _answer(
        number=NUMBER, cancelled_from=_maybe(NUMBER), back_cents=NUMBER, coupon_cents=NUMBER
    ),
    "Unclaimed": _answer(
        wins=_list_of(_answer(number=NUMBER, win_cents=NUMBER, standing=TEXT)),
        more_after=_maybe(NUMBER),
    ),
    "DayClosed": _answer(day=TEXT, figures={"type": "object"}, drawers={"type": "object"}),
    "Review": _answer(
        day=TEXT,
        items=_list_of(_answer(kind=TEXT, of=TEXT, what=TEXT)),
        signed_by=_maybe(TEXT),
    ),
    "CashLog": _answer(
        day=TEXT,
        patrons=_list_of(
            _answer(patron=TEXT, cash_in_cents=NUMBER, cash_out_cents=NUMBER, currency_report=FLAG)
        ),
    ),
    "Named": _object(["name"], name=TEXT),
    "Coded": _object(["code"], code=TEXT),
    "Locking": _object([], approval=APPROVAL, reason=_maybe(REASON)),
    "Locked": _answer(locked=TEXT, opened=TEXT),
    "Closing": _object(["reason"], closes_at=_maybe(TEXT), reason=REASON),
    "Closes": _answer(game=TEXT, closes_at=_maybe(TEXT)),
    "Reason": _object(["reason"], reason=REASON),
    "Game": _answer(game=TEXT),
    "Voided": _answer(number=NUMBER, back_cents=NUMBER, back=_list_of({"type": "object"})),
    "Presenting": _object([], code=_maybe(TEXT), contact=CONTACT),
    "Paying": _object(
        [],
        code=_maybe(TEXT),
        reason=_maybe(REASON),
        approval=APPROVAL,
        manager=APPROVAL,
        check=_maybe(CHECK),
        contact=CONTACT,
        patron=_maybe(PATRON),
    ),
    "InHand": _object(["code"], code=TEXT),
    "Loss": _object(
        ["bought", "surveillance"], patron=_maybe(PATRON), bought=TEXT, surveillance=TEXT
    ),
    "Lost": _answer(number=NUMBER, reported_at=TEXT),
    "LostPayment": _object(
        ["reason", "check"], reason=REASON, check=CHECK, approval=APPROVAL, procedure=_maybe(REASON)
    ),
    "Pay": _answer(
        number=NUMBER,
        win_cents=NUMBER,
        refund_cents=NUMBER,
        pay_cents=NUMBER,
        games=_list_of(_answer(game=TEXT, win_cents=NUMBER, explanation=_list_of(TEXT))),
        gradings=_list_of(_answer(game=NUMBER, first_cents=NUMBER)),
    ),
    "PaymentApproved": _answer(number=NUMBER, tier=TEXT, cents=NUMBER),
    "TaxPaper": _object(
        ["game", "name", "taxpayer_number"],
        game=_whole(1),
        name=TEXT,
        taxpayer_number=TEXT,
        contact=CONTACT,
        code=_maybe(TEXT),
        approval=APPROVAL,
    ),
    "TaxWorksheet": _answer(
        number=NUMBER, game=NUMBER, win_cents=NUMBER, wager_cents=NUMBER, net_cents=NUMBER
    ),
    "Reprinting": _object(["reason"], reason=REASON, approval=APPROVAL),
    "Reprinted": _answer(paper=NUMBER, copy=NUMBER, slip=TEXT),
    "Papers": _answer(
        papers={"type": "array", "items": {"type": "object"}},
        printer={"type": ["object", "null"]},
        printing=PRINTING,
    ),
    "Paper": _answer(paper=NUMBER, slip=TEXT, made={"type": "object"}),
    "Seen": _object(["copy", "printed"], copy=_whole(0), printed={"enum": ["yes", "no"]}),
    "SaidPrinted": _answer(paper=NUMBER, copy=NUMBER),
    "CardFile": _object(["file"], file=TEXT),
    "CardBrought": _answer(card=TEXT),
    "CardChecked": _answer(name=TEXT, faults={"type": "array"}, advantages={"type": "array"}),
    "Accepting": _object([], changes=_maybe(TEXT)),
    "Promotion": _object(["file", "second"], file=TEXT, second=PERSON),
    "Stopping": _object(
        ["reason"],
        series=_maybe(TEXT),
        schedule=_maybe(TEXT),
        spots=_maybe(NUMBER),
        reason=TEXT,
    ),
    "Resuming": _object(
        ["reason", "manager"],
        series=_maybe(TEXT),
        schedule=_maybe(TEXT),
        spots=_maybe(NUMBER),
        reason=TEXT,
        manager=PERSON,
    ),
    "Stopped": _answer(stopped=TEXT),
    "Resumed": _answer(resumed=TEXT),
    "CardForced": _answer(card=TEXT, effective_at=TEXT),
    "Since": _object([], manager=_maybe(PERSON), **{"from": _maybe(TEXT)}),
    "Approving": _object([], copies=_maybe(NUMBER)),
    "Releasing": _object(["reason", "manager"], reason=TEXT, manager=PERSON),
    "Person": _object(
        ["code", "name", "role", "secret"],
        code=TEXT,
        name=TEXT,
        role=TEXT,
        secret=TEXT,
        second=_maybe(PERSON),
    ),
    "Standby": _object(["name", "listed"], name=TEXT, listed=TEXT, second=_maybe(PERSON)),
    "Enabling": _object(["name"], name=TEXT, second=_maybe(PERSON)),
    "NewSecret": _object(["name", "secret"], name=TEXT, secret=TEXT, second=_maybe(PERSON)),
    "NewStation": _object(["code", "location"], code=TEXT, location=TEXT),
    "Placing": _object(
        ["code", "address"],
        code=TEXT,
        address=TEXT,
        roll=_maybe(TEXT),
        station=_maybe(TEXT),
        supervisor=_maybe(PERSON),
    ),
    "Placed": _answer(printer=TEXT, address=TEXT, roll=TEXT),
    "Using": _object(["station", "printer"], station=TEXT, printer=TEXT),
    "Used": _answer(station=TEXT, printer=TEXT, until=_maybe(TEXT)),
    "Spoken": _object(["line"], line=TEXT, tender=_maybe(TEXT)),
    "Heard": _answer(groups={"type": "array"}, faults={"type": "array"}),
    "Settled": _answer(done={"type": "boolean"}, answer={"type": ["object", "null"]}),
    "Desk": _answer(
        now=TEXT, station=TEXT, games={"type": "array"}, sold=_list_of(JUST_SOLD), printing=PRINTING
    ),
    "Practice": _object(
        ["request", "tender"], request=_ref("Request"), tender=_list_of(_ref("Tender"), PARTS_MAX)
    ),
    "Practised": _answer(price_cents=NUMBER, change_cents=NUMBER, picture=TEXT),
    "Wanted": _object(
        ["slip"],
        slip={"enum": ["shift", "draw", "aggregate", "test"]},
        drawer=_maybe(_whole(1)),
        series=_maybe(TEXT),
        game=_maybe(_whole(1)),
        part=_maybe(_whole(1)),
    ),
    "Report": _object(
        ["report", "from", "to", "format"],
        report=TEXT,
        to={"type": "string", "format": "date"},
        format={"enum": ["pdf", "csv", "json"]},
        **{"from": {"type": "string", "format": "date"}},
    ),
    "Bundle": _object(
        ["from", "to"],
        to={"type": "string", "format": "date"},
        **{"from": {"type": "string", "format": "date"}},
    ),
    "ReportJob": _object(["job"], job=TEXT),
    "DrawerOpening": _object(["counted"], counted=COUNTED, verifier=APPROVAL),
    "DrawerClosing": _object(
        ["counted"],
        counted=COUNTED,
        verifier=APPROVAL,
        tickets=_maybe(_list_of(_whole(1, NUMBER_MAX), TICKETS_MAX)),
        reason=_maybe(TEXT),
    ),
    "Movement": _object(
        ["amounts"],
        amounts=_object([], **{kind.value: _maybe(_whole(0, CENTS_MAX)) for kind in DENOMINATIONS}),
        approval=APPROVAL,
    ),
    "Words": _object([], words=_maybe(TEXT)),
    "Moving": _object([], words=_maybe(TEXT), station=_maybe(TEXT)),
    "Drawer": _answer(drawer=NUMBER, state=TEXT, writer=TEXT, station=TEXT),
    "DrawerMoved": _answer(drawer=NUMBER, act=TEXT),
    "DrawerOpened": _answer(drawer=NUMBER, opening_cents=NUMBER),
    "DrawerClosed": _answer(
        drawer=NUMBER, expected_cents=NUMBER, counted_cents=NUMBER, over_short_cents=NUMBER
    ),
}
