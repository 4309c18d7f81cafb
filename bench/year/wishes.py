"""What patrons ask for, by chance: every type of ticket, in proportions as a floor has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from app.audit.canonical import canonical
from app.flow.plays import Changes, play_document
from app.keno.conditioning import conditioning_of
from app.keno.pricing import quote
from app.keno.rate_card import RateCard
from app.keno.request import Request
from app.keno.spots import mask_of
from app.keno.tender import Tender, TenderKind
from app.keno.ticket import Ticket
from app.store.tables import Source

BILLS_CENTS = (500, 1_000, 2_000, 5_000, 10_000, 100_000, 1_000_000)
# Sizes of the groups, and how they are played, at each of the rates; and how often of a thousand.
STRAIGHT = {1: 20, 2: 20, 3: 50, 4: 120, 5: 130, 6: 150, 7: 100, 8: 190, 9: 70, 10: 60}
OTHERS: tuple[tuple[tuple[int, ...], str, int], ...] = (
    ((2, 2, 2, 2), "6/4 @ 1.00", 20),  # a way ticket
    ((3, 3, 3), "3/3 3/6 1/9 @ 1.00", 15),
    ((4,) * 20, "190/8 @ 0.10 dimes", 1),
    ((4, 4, 4), "3/4 3/8 @ 1.00, 1/12 @ 2.00", 15),  # a combination
    ((4, 3, 2), "1/7 1/6 @ 1.00, 1/9 @ 1.00", 10),
    ((4, 4, 1), "2/4 2/5 1/8 @ 1.00", 15),  # a king
    ((5, 1, 1), "2/6 1/7 @ 1.00", 5),
    ((5, 5), "2/5 @ 1.00", 9),  # a split
)
RATES = ("1.00", "1.00", "1.00", "1.00", "2.00", "2.00", "5.00", "10.00")
GAMES = (1,) * 17 + (2, 5, 10)
QUICK, REPLAYED = 0.2, 0.08  # of the straight ones; of all
KINDS = (TenderKind.CURRENCY,) * 17 + (TenderKind.CHIPS, TenderKind.CHIPS, TenderKind.TOKENS)
NUMBERS = range(1, 81)
Groups = list[list[int]]


@dataclass(frozen=True, eq=False)
class Form:
    """What all tickets of one form have in common, whatever their numbers."""

    sizes: tuple[int, ...]
    line: str
    ticket: Ticket
    type: str
    games: int
    price_per_game_cents: int
    price_cents: int
    lines: list[dict[str, object]]
    lines_text: str  # as they stand in an entry
    conditioning_text: str


@dataclass(frozen=True, slots=True)
class Wish:
    """What a patron wants: a form with numbers, what it rests on, and what it is paid with."""

    form: Form
    groups: Groups
    source: Source
    replay_of: int | None
    kind: TenderKind
    cents: int

    @property
    def request(self) -> Request | Changes:
        """As it is asked for."""
        form = self.form
        if self.source is Source.TICKET:
            return Changes()
        if self.source is Source.QUICK_PICK:
            # The office picks the numbers of a quick-pick: they are not in what is asked for.
            return Request((), form.line, form.games, quick_pick=form.sizes[0])
        return Request(tuple(map(tuple, self.groups)), form.line, form.games)

    @property
    def ticket(self) -> Ticket:
        """As it was quoted."""
        form = self.form.ticket
        quick = self.source is Source.QUICK_PICK
        masks = tuple(mask_of(group) for group in self.groups)
        return Ticket(form.type, masks, form.lines, form.games, quick_pick=quick)

    @property
    def tender(self) -> tuple[Tender, ...]:
        """What it is paid with."""
        return (Tender(self.kind, self.cents),)


class Wishes:
    """Patrons, by chance; what each form of ticket costs is quoted once."""

    def __init__(self, card: RateCard, seed: int) -> None:
        self.chance = Random(seed)  # noqa: S311  a year that can be had again
        self._card = card
        self._made: dict[tuple[tuple[int, ...], str, int], Form] = {}
        forms = [((spots,), f"1/{spots} @ ", often) for spots, often in STRAIGHT.items()]
        self._forms = [*forms, *OTHERS]
        self._often = list(accumulate(often for _, _, often in self._forms))

    def next(self, before: Sequence[tuple[int, Wish]]) -> Wish:
        """Return what the next patron wants.

        Args:
            before: numbers of tickets that can be played again, on the same card, and what they
                were.
        """
        chance = self.chance
        by_chance = chance.random
        if before and by_chance() < REPLAYED:
            number, wish = before[int(by_chance() * len(before))]
            paid = self._paid(wish.form.price_cents)
            return Wish(wish.form, wish.groups, Source.TICKET, number, *paid)
        ((sizes, line, _),) = chance.choices(self._forms, cum_weights=self._often)
        if len(sizes) == 1:
            line += RATES[int(by_chance() * len(RATES))]
        form = self._form(sizes, line, GAMES[int(by_chance() * len(GAMES))])
        numbers = chance.sample(NUMBERS, sum(sizes))
        paid = self._paid(form.price_cents)
        if len(sizes) == 1:
            numbers.sort()
            source = Source.QUICK_PICK if by_chance() < QUICK else Source.REQUEST
            return Wish(form, [numbers], source, None, *paid)
        groups, start = [], 0
        for size in sizes:
            groups.append(sorted(numbers[start : start + size]))
            start += size
        return Wish(form, groups, Source.REQUEST, None, *paid)

    def _form(self, sizes: tuple[int, ...], line: str, games: int) -> Form:
        which = sizes, line, games
        form = self._made.get(which)
        if form is None:
            form = self._made[which] = self._quoted(sizes, line, games)
        return form

    def _quoted(self, sizes: tuple[int, ...], line: str, games: int) -> Form:
        """Return a form, from a ticket with whatever numbers."""
        starts = [sum(sizes[:place]) + 1 for place in range(len(sizes))]
        groups = tuple(
            tuple(range(start, start + size)) for start, size in zip(starts, sizes, strict=True)
        )
        ticket = quote(Request(groups, line, games), self._card)
        lines = play_document(ticket)["lines"]
        return Form(
            sizes=sizes,
            line=line,
            ticket=ticket,
            type=ticket.type.value,
            games=ticket.games,
            price_per_game_cents=ticket.price_per_game_cents,
            price_cents=ticket.price_cents,
            lines=lines,
            lines_text=canonical(lines).decode(),
            conditioning_text=canonical(conditioning_of(ticket.lines)).decode(),
        )

    def _paid(self, price_cents: int) -> tuple[TenderKind, int]:
        """Return what a price is paid with: with a large enough bill, or just so."""
        by_chance = self.chance.random
        kind = KINDS[int(by_chance() * len(KINDS))]
        if by_chance() < 0.4:
            return kind, price_cents
        return kind, next(bill for bill in BILLS_CENTS if bill >= price_cents)
