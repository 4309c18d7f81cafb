"""The draw once more, by the format page, in the plainest way, sharing no code with rng."""

import hashlib
import hmac


def numbers(intent_hash: str, mark: str) -> list[int]:
    """Steps 4 to 6 of the format page."""
    document = f'{{"intent":"{intent_hash}","label":"keno/draw-seed","mark":"{mark}","version":1}}'
    seed = hashlib.sha512(document.encode()).digest()
    stream = PlainDrbg(seed)  # entropy input, nonce and personalization are joined anyway
    balls = list(range(1, 81))
    words: list[int] = []
    for place in range(20):
        left = 80 - place
        while True:
            if not words:
                data = stream.generate(64)
                words = [data[at] * 256 + data[at + 1] for at in range(0, 64, 2)]
            word = words.pop(0)
            if word < 65536 - 65536 % left:
                break
        other = place + word % left
        balls[place], balls[other] = balls[other], balls[place]
    return balls[:20]


class PlainDrbg:
    """HMAC_DRBG with SHA-256 by the letter of SP 800-90A, 10.1.2, without additional input."""

    def __init__(self, seed: bytes) -> None:
        self.key = b"\x00" * 32
        self.value = b"\x01" * 32
        self.update(seed)

    def update(self, provided: bytes) -> None:
        self.key = self.mac(self.value + b"\x00" + provided)
        self.value = self.mac(self.value)
        if provided:
            self.key = self.mac(self.value + b"\x01" + provided)
            self.value = self.mac(self.value)

    def generate(self, count: int) -> bytes:
        output = b""
        while len(output) < count:
            self.value = self.mac(self.value)
            output += self.value
        self.update(b"")
        return output[:count]

    def mac(self, message: bytes) -> bytes:
        return hmac.new(self.key, message, hashlib.sha256).digest()
