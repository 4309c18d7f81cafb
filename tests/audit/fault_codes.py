"""Which fault codes the verifier can report, according to its source."""

import ast
import re

from app.audit import verifier


def is_list_of_codes(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "FAULTS"


def codes_in_source() -> set[str]:
    """Return the codes that the verifier can report, from its source without its own list.

    A payment and an expiry have codes in common, whose first half is an argument of `_claimed`.
    """
    statements = ast.parse(verifier.source()).body
    lists = [each for each in statements if is_list_of_codes(each)]
    assert len(lists) == 1
    nodes = [node for each in statements if each not in lists for node in ast.walk(each)]
    texts = {each.value for each in nodes if isinstance(each, ast.Constant)}
    words = {each for each in texts if isinstance(each, str)}
    calls = [each for each in nodes if isinstance(each, ast.Call)]
    acts = {
        ast.literal_eval(call.args[1])
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == "_claimed"
    }
    joined = [ast.unparse(each) for each in nodes if isinstance(each, ast.JoinedStr)]
    ends = {end for each in joined for end in re.findall(r"^f'\{code\}(\.[a-z_]+)'$", each)}
    assert acts
    assert ends
    whole = {word for word in words if re.fullmatch(r"[a-z]+\.(?!json$|py$)[a-z_]+", word)}
    return whole | {f"{act}{end}" for act in acts for end in ends}
