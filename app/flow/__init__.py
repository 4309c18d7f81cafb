"""The stages, in the order in which a game runs.

Each is one module, named by its verb, and is the only caller of commit; whatever one act changes is
committed at once or not at all.

    found_house   the house with its series, locations, stations and first staff
    access        enrolling a station, signing in and out, approving, disabling
    rate_cards    bringing a rate card, accepting it by two, putting it into force
    schedule      when the games of a series close
    house_amounts what must be approved or reported, stricter than the rule
    drawer        a shift: counted by two, filled and bled, closed blind
    open_game     a game is sold for
    quote         what a request costs, or every fault at once
    sell          the ticket: numbered, logged, paid for, to be printed
    void          a ticket taken back before its game is locked
    look_up       what a ticket is and how it stands (`standing`)
    notice        a minute before the close
    override      a supervisor closes a game earlier or later; the caller holds it
    lockout       no more sales and voids; the next game opens
    seal          the log gets its places, and its head is signed
    cosign        the inspector witnesses the head: the game is sealed
    draw          twenty numbers, once; or the game is void
    settle        what every ticket won
    certify       the second grader agrees, or the game is frozen
    release       a frozen game is graded again
    refund        money back for games that are not played
    present       what a ticket is paid (`claim`), and what is missing before it is
    approvals     a supervisor, or a manager outside keno, approves a payment
    tax_paper     the paper of a win that must be reported
    pay           a winning ticket is paid, once
    spool         paper on its way to the printers (`slips`: what it says)
    reprint       paper that did not come out, and copies
    print_wanted  reports, draw records and test pages
    see_paper     what was on paper, for whoever watches
    printers      where the printers of the house are
    unclaimed     wins that nobody has come for yet
    expire        wins that nobody came for in time
    close_day     a gaming day in figures, and what it leaves to the next

What they stand on: `office` (database, keys, entropy), `keys`, `codes` (validation codes),
`asking` (request ids), `authority` (the paper in hand, or a supervisor), `contact` (a patron's acts
in a row), `patron` (sealed names), `permissions`, `refusals`, `day` (the gaming day), `lease` (what
only one process may do), `clock_jump`, `software_seal`.
"""
