"""THE PAPER: what the patron holds and the regulator files.

Slips are values (`slips`); each is laid out on a width of paper (`paper`, `layout`), becomes bytes
(`escpos`) and is sent to a device (`devices`), whose answers are read here (`status`). What was
sent can be read back strictly and drawn (`reader`, `drawing`); the virtual printer (`virtual`) does
so for a whole house. Forms that patrons fill in and read are in `forms`.

Nothing here knows of the back office: it is given values, and tells what became of them.
"""
