"""Acts under both keys, on the inspector's side: the generator carries them to it and from it."""

from collections.abc import Mapping

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from rng.core.records import Hash, Sealed
from rng.core.signing import document_hash
from rng.serve.acts import Act, ActingProcess, act_text, read_act, signers
from rng.serve.keyed import Fields, field
from rng.serve.keystore import OpenKeys
from rng.serve.refusals import Code, refused


class Approver(ActingProcess):
    """A process that is asked, and never asks the other."""

    _proposed: Sealed[Act] | None = None
    _is_fetched = True  # what was pending at the start may have been fetched before

    def _propose(
        self, keys: OpenKeys, body: Act, keystore: bytes | None, *proof: Ed25519PrivateKey
    ) -> Mapping[str, object]:
        answer = super()._propose(keys, body, keystore, *proof)
        self._is_fetched = False
        return answer

    def handover(self, fields: Fields) -> Mapping[str, object]:
        """Vouch for the generator, and forget what the one before it had asked for."""
        answer = super().handover(fields)
        self._proposed = None
        return answer

    def propose(self, fields: Fields) -> Mapping[str, object]:
        """Take in an act that the generator's holder proposed, or return it approved."""
        act = read_act(fields.get("proposal"))
        digest = document_hash(act["body"])
        if digest in self.state.acts:
            return {"act": self.journal.document_at(self.state.acts[digest])}
        self._check_signatures(act, signers(act["body"], self.state.keys)[:-1])
        self._proposed = act
        raise refused(Code.NOT_APPROVED)

    def proposed(self, fields: Fields) -> Mapping[str, object]:  # noqa: ARG002  one form for all
        """Show what the generator's holder asks to be approved."""
        if self._proposed is None:
            raise refused(Code.NOTHING_PENDING)
        return {"act": self._proposed, "text": act_text(self._proposed["body"])}

    def approve(self, fields: Fields) -> Mapping[str, object]:
        """Approve what the generator's holder asked for."""
        keys = self.open_keys(fields)
        if self._proposed is None:
            raise refused(Code.NOTHING_PENDING)
        self.check_shown(fields, self._proposed)
        approved = self.sign_act(self._proposed, keys)
        self._proposed = None
        return {"act": approved}

    def withdrawn(self, fields: Fields) -> Mapping[str, object]:
        """Forget a proposal that was taken back, unless it is approved already."""
        digest = field(fields, "proposal", Hash)
        if digest in self.state.acts:
            return {"act": self.journal.document_at(self.state.acts[digest])}
        if self._proposed is not None and document_hash(self._proposed["body"]) == digest:
            self._proposed = None
        return {"act": None}

    def proposals(self, fields: Fields) -> Mapping[str, object]:
        """Give the generator what waits for its approval; from then on it may be approved."""
        self._is_fetched = self._is_fetched or self._pending is not None
        return super().proposals(fields)

    def pending(self, fields: Fields) -> Mapping[str, object]:
        """Return what still waits for approval."""
        return super().proposals(fields)

    def check_not_approved(self, act: Mapping[str, object]) -> None:  # noqa: ARG002  one form for all
        """Refuse to take back what the generator has fetched: its holder declines it there."""
        if self._is_fetched:
            raise refused(Code.MAYBE_APPROVED)

    def declined(self, fields: Fields) -> Mapping[str, object]:
        """Forget a proposal that the generator's holder declined."""
        digest = field(fields, "proposal", Hash)
        if self._pending is not None and self._pending_hash() == digest:
            self._forget_pending()
        return {}

    def approved(self, fields: Fields) -> Mapping[str, object]:
        """Carry out an act of this role's that the generator's holder approved."""
        self.take_act(fields.get("approved"))
        return {}
