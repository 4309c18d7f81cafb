"""Everything that was stored, stretch by stretch, for whoever works it out again.

`app.audit.books` reads a whole year with the memory of a few thousand entries: nothing here returns
more than what belongs to one stretch, and everything is found through an index.
"""
