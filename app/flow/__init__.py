"""The stages, in the order in which a game runs.

Each is one module, named by its verb, and is the only caller of commit; whatever one act changes is
committed at once or not at all.

    found_house   the house with its series, locations, stations and first staff
    access        enrolling a station, signing in and out, approving, disabling
    approvers     who may approve now, and who has to wait
    staffing      people and stations that come, come back, or get a new secret
    emergency     no supervisor is there: two name one for 12 hours
    see_floor     the floor as a supervisor sees it
    see_cards     rate cards, checked and held against the one in force
    rate_cards    bringing a rate card, accepting it by two, putting it into force
    stop_sales    what is not sold from the next sale on, and sold again
    schedule      when the games of a series close
    change_notice how long a new card or a looser amount waits
    house_amounts what must be approved or reported, stricter than the rule
    house_settings numbers that the house settles for itself
    drawer        a shift: counted by two, filled and bled, closed blind
    open_game     a game is sold for
    quote         what a request costs, or every fault at once
    speak         a line as a writer types it: what it means, and what the patron is told
    practise      a writer learns the keys, and nothing happens
    settle_act    an act whose answer was lost: it was done, or never will be
    desk          what a writer sees before anything is done
    sell          the ticket: numbered, logged, paid for, to be printed
    sell_together sales that wait share a transaction (`turns`: who waits for whom)
    void          a ticket taken back before its game is locked
    note_look_up  who looked up a win that is not paid, without its code
    look_up       what a ticket is and how it stands (`standing`)
    check         what a patron is told who has a ticket in hand
    notice        a minute before the close
    override      a supervisor closes a game earlier or later; the caller holds it
    lockout       no more sales and voids; the next game opens
    seal          the log gets its places, and its head is signed
    cosign        the inspector witnesses the head: the game is sealed
    draw          twenty numbers, once; or the game is void
    settle        what every ticket won
    certify       the second grader agrees, or the game is frozen
    release       a frozen game is graded again (`book_anew`: by a book that begins anew)
    refund        money back for games that are not played
    present       what a ticket is paid (`claim`), and what is missing before it is
    approvals     a supervisor, or a manager outside keno, approves a payment
    tax_paper     the paper of a win that must be reported
    shown         what was shown for a payment
    pay           a winning ticket is paid, once
    lost_ticket   a ticket that was lost is reported, and paid by check
    spool         paper on its way to the printers (`slips`: what it says)
    print_status  the mark of each ticket and the sentence of a printer (`unprinted`: what waits)
    reprint       paper that did not come out, and copies
    print_wanted  reports, draw records and test pages
    see_paper     what was on paper, for whoever watches
    see_submission the rules of the games as they are in force
    printers      where the printers of the house are
    unclaimed     wins that nobody has come for yet
    expire        wins that nobody came for in time
    close_day     a gaming day in figures, and what it leaves to the next
    books         the whole state worked out again, and what was found recorded
    backup        a backup while the house sells; an empty database filled from one
    missing       what a restored house lacks, by what the inspector has cosigned
    look_for      whether that is nothing: on the inspector's word, or that of two
    refill        what it lacks, put back (`rebuild`: the acts that it tells of)
    kept_log      what is left of a log, shown to be a beginning of what is lost
    new_origin    the log goes on under another name, without what is lost for good
    pass_games    games that were drawn in what is lost
    going_on      what holds from then on: tickets held, numbers left out
    room          the next partitions, made before they are needed
    retention     how long records are kept
    archive       old detail into a file that stays verifiable
    give_back     the room of what was archived
    process_end   a process that ended unexpectedly

What they stand on: `office` (database, keys, entropy), `keys`, `codes` (validation codes),
`asking` (request ids), `authority` (the paper in hand, or a supervisor), `contact` (a patron's acts
in a row), `patron` (sealed names), `permissions`, `refusals`, `day` (the gaming day), `lease` (what
only one process may do), `throttle` (how often one may guess), `clock_jump`, `software_seal`.
"""
