"""The keno back office.

So far `keno` (the rules) and the command line over it.
"""
