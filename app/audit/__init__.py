"""The log, and the second opinion on everything that is stored.

tags           what an entry can be about: a closed list
canonical      one byte form for everything that is hashed (RFC 8785)
entries        an entry: its body, its salt, and the leaf that the public sees
tiles          the tree over the leaves, kept in tiles of 256
checkpoints    heads of the tree as signed notes (C2SP)
log_check      the whole log worked out again
entry_copies   entries as others keep them: with bodies, or as tiles
kinds          which entries are of which kind of record, for retention
archives       entries whose bodies are in files
books          the whole state worked out again, from stored facts
second_grader  every ticket of a game graded again, from the log alone
bundle         days of the log for the regulator, to be checked elsewhere
verifier       the program that checks such a bundle; it stands alone, and knows nothing of ours
"""
