"""Which acts each process answers, where, and to whom.

The *service* is for the other process and the back office, over a socket or TLS. The *control* is
for the holders of this role's key, on this machine only.
"""

from collections.abc import Callable, Mapping

from rng.serve.generator import GeneratorProcess
from rng.serve.inspector import InspectorProcess
from rng.serve.keyed import Fields, Handler
from rng.serve.refusals import Code, refused
from rng.serve.server import LOCAL

Answering = Callable[[str, Fields], Mapping[str, object]]

OFFICE = frozenset({"office"})
GENERATOR = frozenset({"rng"})
ANYONE = OFFICE | GENERATOR


def generator_service(process: GeneratorProcess) -> Answering:
    """Return what the generator answers to the back office."""
    return answering(
        {
            "status": (process.status, ANYONE),
            "draw": (process.draw, OFFICE),
            "void": (process.void, OFFICE),
            "record": (process.record, OFFICE),
        }
    )


def inspector_service(process: InspectorProcess) -> Answering:
    """Return what the inspector answers to the back office and to the generator."""
    return answering(
        {
            "status": (process.status, ANYONE),
            "cosign": (process.cosign, OFFICE),
            "ready": (process.ready, GENERATOR),
            "mark": (process.mark, GENERATOR),
            "record": (process.record, OFFICE),
            "deliver": (process.deliver, GENERATOR),
            "void": (process.void, GENERATOR),
            "propose": (process.propose, GENERATOR),
            "proposals": (process.proposals, GENERATOR),
            "approved": (process.approved, GENERATOR),
            "withdrawn": (process.withdrawn, GENERATOR),
            "declined": (process.declined, GENERATOR),
        }
    )


def control(process: GeneratorProcess | InspectorProcess) -> Answering:
    """Return what either process answers to its holders."""
    acts: dict[str, Handler] = {
        "status": process.status,
        "unlock": process.unlock,
        "lock": process.lock,
        "selftest": process.selftest,
        "reopen": process.reopen,
        "rotate": process.rotate,
        "holders": process.holders,
        "series": process.add_series,
        "withdraw": process.withdraw,
        "pending": process.pending,
        "proposed": process.proposed,
        "approve": process.approve,
        "handover": process.handover,
    }
    if isinstance(process, GeneratorProcess):
        acts["decline"] = process.decline
        acts["origin"] = process.new_origin
    return answering({name: (act, frozenset()) for name, act in acts.items()})


def answering(acts: Mapping[str, tuple[Handler, frozenset[str]]]) -> Answering:
    """Return what answers a request: the act that it names, if this peer may ask for it."""

    def answer(peer: str, request: Fields) -> Mapping[str, object]:
        name = request.get("act")
        if not isinstance(name, str) or name not in acts:
            raise refused(Code.NO_SUCH_ACT, act=str(name)[:40])
        act, peers = acts[name]
        if peer != LOCAL and peer not in peers:
            raise refused(Code.WRONG_PEER, wanted=" or ".join(sorted(peers)))
        return act(request)

    return answer
