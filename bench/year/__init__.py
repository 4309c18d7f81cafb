"""A simulated year: a whole demonstration house, years old, made in minutes instead of weeks.

For benchmarks and tests of the books, reports and exports, and of everything that must not become
slow because much has happened before. What comes out is a house like any other: `keno books` finds
no fault in it, each game was drawn and signed by both keyed processes, which have all of it in
their journals, every ticket can be looked up and paid, every day is closed, and the house goes on.

How: days are worked in stretches. Within a stretch the common acts (sales, voids, payments in cash,
every stage of a game) are worked out without a database, and written many at a time by a process
beside this one. They are made by the same functions that the stages of the flow use, but for sales,
which are written out; one of many is made by the flow as well and compared. Between stretches, at
the end of each shift, everything else happens through the flow itself: drawers, approvals, tax
papers, checks, refunds, cancelled rests, copies, overrides, void games, refusals, and the close of
the day.

What is sold, and when, follows from the seed; keys, salts and the numbers drawn never do.

Not as in a real house: papers of the common acts are noted as sent, but their bytes are not kept
(they would be larger than all the rest); the keyed processes do not wait for their disk; the office
checks one draw of many, and grades the tickets of that game a second time, which the books do for
every one; and secrets are cheap to check, because they are no secret.
"""

from bench.year.build import build_year
from bench.year.house import YearHouse
from bench.year.plan import MONTH, YearPlan

__all__ = ["MONTH", "YearHouse", "YearPlan", "build_year"]
