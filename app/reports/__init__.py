"""The figures: every report of the house, from its log.

A report is a pure function of a stretch of the log. Read in this order:

    told        what a report is made from: a period, a stretch of the log, its entries
    content     what a report says: sections of rows, and plots
    figures/    the figures of each report
    catalogue   every report: its id, its title, the duties that it answers
    document    a report as it stands: period, stretch, content, and the hash over all of it
    written     how each kind of cell is written
    csv, pdf    the forms in which a report is handed out; JSON is the document itself
    plots       how a plot is drawn

Beside them stand documents that are made from rules and sources, not from the log:

    compliance  every duty: the code that keeps it, the tests that show it, the reports that tell it
    submission  the rules of the games as a house submits them
    quick_card  every key of the writer's page, on one page
    documents   how these look on paper; the same bytes every time
"""
