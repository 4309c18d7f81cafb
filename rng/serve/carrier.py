"""Acts under both keys, on the generator's side: it carries the documents in both directions."""

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.signing import document_hash
from rng.serve.acts import Act, act_text, read_act
from rng.serve.afterwards import Afterwards
from rng.serve.keyed import Fields
from rng.serve.keystore import OpenKeys
from rng.serve.refusals import Code, Refused, refused


class Carrier(Afterwards):
    """A process that asks the other, and is never asked by it."""

    def settle_pending(self) -> None:
        """Ask the inspector whether what was proposed here is approved, and carry it out."""
        if self._pending is None:
            return
        try:
            answer = self._ask("propose", {"proposal": self._pending["act"]})
        except Refused as refusal:
            if refusal.code == Code.NOT_APPROVED.code:
                return
            raise
        self.take_act(answer.get("act"))

    def _propose(
        self, keys: OpenKeys, body: Act, keystore: bytes | None, *proof: Ed25519PrivateKey
    ) -> Mapping[str, object]:
        """Deliver what is owed first, so that the two journals can agree."""
        if body["label"] in ("keno/key", "keno/origin"):
            self._deliver()
        else:
            self.after()
        return super()._propose(keys, body, keystore, *proof)

    def check_not_approved(self, act: Mapping[str, object]) -> None:
        """Have the inspector forget a proposal; if it is approved there, it is carried out here."""
        digest = document_hash(act["body"])
        approved = self._ask("withdrawn", {"proposal": digest}).get("act")
        if approved is not None:
            self.take_act(approved)
            raise refused(Code.ACT_REFUSED, detail="it is approved already, and now in force")

    def pending(self, fields: Fields) -> Mapping[str, object]:
        """Return what still waits for approval, having asked."""
        self.settle_pending()
        return self.proposals(fields)

    def proposed(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Show what the inspector's holder asks to be approved."""
        act = self._ask("proposals", {}).get("act")
        if act is None:
            raise refused(Code.NOTHING_PENDING)
        return {"act": act, "text": act_text(read_act(act)["body"])}

    def approve(self, fields: Fields) -> Mapping[str, object]:
        """Approve what the inspector's holder asked for, and tell its process."""
        keys = self.open_keys(fields)
        act = read_act(self.proposed({})["act"])
        self.check_shown(fields, act)
        self._deliver()
        approved = self.sign_act(act, keys)
        self._ask("approved", {"approved": approved})
        return {"act": approved}

    def decline(self, fields: Fields) -> Mapping[str, object]:
        """Decline what the inspector's holder asked for, if it is not approved already."""
        self.open_keys(fields)
        act = read_act(self.proposed({})["act"])
        digest = document_hash(act["body"])
        if digest in self.state.acts:
            raise refused(Code.ACT_REFUSED, detail="it is approved already; approve it once more")
        self._ask("declined", {"proposal": digest})
        return {}
