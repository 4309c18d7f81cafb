"""The draw: two keyed processes, one outcome, provable by anyone. Start with README.md beside this.

It imports nothing of the back office, and shares no key, file or database with it
(15.5(a)-independent).

core    decides the numbers; no file, no socket, no clock
merkle  checking of RFC 6962 proofs
note    C2SP signed notes, checkpoints and cosignatures
serve   the two processes, their journals and keys; cannot change a number
lab     statistics, collectors, verifier, practice office; cannot change a number
"""
