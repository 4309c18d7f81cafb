"""The rules of keno: what a ticket means, what it costs, and what it wins.

Pure values and functions. Nothing here reads a clock, a file, a database or a source of
randomness, and no float takes part in anything: money is whole cents, a ratio is a Fraction, a set
of the eighty numbers is an 80-bit mask. Everything outside imports this package; it imports
nothing but the standard library (and NumPy, in `bulk` alone).

Read it in this order, which is the order in which a ticket comes to be:

    spots              the eighty numbers, and sets of them
    letters            how the groups of a ticket are named: A, B, ... Z, AA
    money              cents, the rounding of a win, amounts as text
    refusals           every reason for which the system says no, in one closed list
    fields             reading a document field by field, all its faults at once
    request            what the patron marked and wrote, as it stands on the form
    conditioning_text  the conditioning as people write it, and its canonical form
    ways               how many ways there are, and what they catch, without listing them
    conditioning       the written lines made explicit against the marked groups
    ticket             the type of ticket that the groups and lines amount to
    odds               the chance of each catch, exactly
    rate_card          the card: limits, schedules, pays
    card_file          the card as a TOML file
    card_checks        what the law asks of a card; return and house advantage
    card_changes       what a card changes for the house, as it is named and typed again
    pricing            a request on a card: its price, or every fault at once
    tender             what a ticket is paid with, and the change
    spoken             a ticket and its tender as writers speak them, on one line
    words              a ticket in words, as it is read back
    refund             what goes back for games that are not played
    numbering          a ticket's number as it is printed, with its check digit
    game               the states of a game, and what can be done in each
    standing           how a ticket stands, from what is known of it
    grading            a ticket against a draw: catches and wins
    aggregate          the limit on one game's wins, shared to the cent
    amounts            what must be approved or reported, from which day on
    house_settings     numbers that a house settles for itself
    retention          how long each kind of record is kept, never below the rule
    payment            what a winning ticket is paid, why, and until when
    drawer             the states of a drawer, counting it, what is over or short
    shift              a writer's shift, and a day's drawers against its acts
    day                a gaming day in figures, and what it leaves to the next
    bulk               a million straight plays against a draw
    submission         the rules of the games as they are submitted, with worked examples
    documents          the JSON forms of all of the above
"""
