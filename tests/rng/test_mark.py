"""The mark: one for each key and message, and a key that cannot have more."""

from itertools import count
from math import factorial, gcd

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import (
    RSAPrivateKey,
    RSAPrivateNumbers,
    RSAPublicNumbers,
    generate_private_key,
)

from rng.core import mark
from rng.core.mark import (
    EXPONENT,
    MODULUS_BITS,
    MarkFailed,
    _challenges,
    check_mark,
    check_mark_key,
    check_permutation,
    make_mark,
    show_permutation,
)


@pytest.fixture(scope="module")
def private() -> RSAPrivateKey:
    return generate_private_key(EXPONENT, MODULUS_BITS)


@pytest.mark.rule("X-draw-unpredictable")
def test_the_same_intent_always_gets_the_same_mark(private: RSAPrivateKey) -> None:
    mark = make_mark(private, b"intent")
    assert mark == make_mark(private, b"intent") != make_mark(private, b"another")
    assert len(mark) == 768
    check_mark(private.public_key(), b"intent", mark)


def test_any_other_mark_is_refused(private: RSAPrivateKey) -> None:
    mark, public = make_mark(private, b"intent"), private.public_key()
    number = int(mark, 16)
    modulus = public.public_numbers().n
    others = [number ^ 1, modulus - number, 0, 1, modulus, (1 << 3072) - 1]
    for other in [value.to_bytes(384).hex() for value in others] + ["", "00", mark + "00", "zz"]:
        with pytest.raises(MarkFailed):
            check_mark(public, b"intent", other)
    with pytest.raises(MarkFailed):
        check_mark(public, b"other", mark)


def test_a_sound_key_is_shown_to_be_a_permutation(private: RSAPrivateKey) -> None:
    public, roots = private.public_key(), show_permutation(private)
    check_permutation(public, roots)
    for wrong in (roots[:-1], [*roots[:-1], roots[0]], [], [*roots, roots[0]]):
        with pytest.raises(MarkFailed):
            check_permutation(public, wrong)


def test_a_root_that_a_machine_worked_out_wrongly_is_never_given_out(
    private: RSAPrivateKey,
) -> None:
    """Right for one prime only, it would tell whoever reads it the other one."""
    right = private.private_numbers()
    faulty = RSAPrivateNumbers(
        right.p, right.q, right.d, right.dmp1, right.dmq1, right.iqmp + 1, right.public_numbers
    )
    with pytest.raises(MarkFailed, match="not worked out"):
        mark._root(2, faulty)  # noqa: SLF001  no key with such numbers can be loaded


@pytest.mark.parametrize(("bits", "exponent"), [(2048, 65537), (4096, 65537), (3072, 3)])
def test_a_key_of_another_form_is_refused(bits: int, exponent: int) -> None:
    public = generate_private_key(exponent, bits).public_key()
    with pytest.raises(MarkFailed, match="3072 bits"):
        check_mark_key(public)


def test_a_modulus_with_a_small_factor_is_refused() -> None:
    modulus = 3 * ((1 << 3071) // 3 + 1 | 1)
    with pytest.raises(MarkFailed, match="small factor"):
        check_mark_key(RSAPublicNumbers(EXPONENT, modulus).public_key())


@pytest.mark.rule("X-draw-unpredictable")
def test_a_key_whose_map_is_no_permutation_cannot_be_shown_to_be_one() -> None:
    """With a prime p such that e divides p - 1, a message can have e valid signatures, or none."""
    p = _prime_with(EXPONENT)
    q = 0
    while not q:
        numbers = generate_private_key(EXPONENT, MODULUS_BITS).private_numbers()
        candidate = max(numbers.p, numbers.q)
        q = candidate if (p * candidate).bit_length() == MODULUS_BITS else 0
    modulus = p * q
    public = RSAPublicNumbers(EXPONENT, modulus).public_key()
    check_mark_key(public)  # nothing in its form betrays it
    # The best a cheat can do: roots that hold modulo q, where there always is one.
    inverse = pow(EXPONENT * modulus, -1, q - 1)
    roots = [pow(challenge, inverse, q) for challenge in _challenges(modulus)]
    with pytest.raises(MarkFailed, match="permutation"):
        check_permutation(public, [root.to_bytes(384).hex() for root in roots])
    # And it really has two signatures of one thing: x^e = (x * w)^e for a root of unity w.
    unity = 1
    base = 2
    while unity == 1:
        unity = pow(base, (p - 1) // EXPONENT, p)
        base += 1
    other = _combined(unity, p, 1, q)
    assert other != 1
    assert pow(other, EXPONENT, modulus) == 1


@pytest.mark.rule("X-draw-unpredictable")
def test_a_modulus_with_a_square_in_it_cannot_be_shown_either() -> None:
    """With p squared in the modulus, an intent whose padding is 0 mod p squared has p marks."""
    p, modulus = 65_539, 0
    while modulus.bit_length() != MODULUS_BITS:
        primes = generate_private_key(EXPONENT, MODULUS_BITS).private_numbers()
        modulus = p * p * primes.p * _next_prime(((1 << 3071) // (p * p * primes.p)) + 1)
    public = RSAPublicNumbers(EXPONENT, modulus).public_key()
    check_mark_key(public)  # nothing in its form betrays it
    phi = p * (p - 1) * (primes.p - 1) * (modulus // (p * p * primes.p) - 1)
    # The owner can take e-th roots of every unit, so the plain proof would have passed.
    root = pow(EXPONENT, -1, phi)
    plain = [pow(challenge, root, modulus) for challenge in _challenges(modulus)]
    assert [pow(one, EXPONENT, modulus) for one in plain] == _challenges(modulus)
    # But not roots with exponent e * n, because p divides both n and the order of the units.
    with pytest.raises(MarkFailed, match="permutation"):
        check_permutation(public, [one.to_bytes(384).hex() for one in plain])
    with pytest.raises(ValueError, match="not invertible"):
        pow(EXPONENT * modulus, -1, phi)


def test_a_mark_that_shares_a_factor_with_the_modulus_is_refused(private: RSAPrivateKey) -> None:
    class Agreeable:
        """A key whose signatures always fit, as a message of 0 mod p squared could make them."""

        def verify(self, *_: object) -> None:
            return

        def public_numbers(self) -> RSAPublicNumbers:
            return private.public_key().public_numbers()

    shared = private.private_numbers().p.to_bytes(384).hex()
    with pytest.raises(MarkFailed, match="shares a factor"):
        check_mark(Agreeable(), b"intent", shared)  # type: ignore[arg-type]


def test_a_challenge_that_shares_a_factor_with_the_modulus_shows_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fresh = generate_private_key(EXPONENT, MODULUS_BITS)
    roots = show_permutation(fresh)
    factor = fresh.private_numbers().p
    monkeypatch.setattr(mark, "_challenges", lambda _: [factor] * 16)
    with pytest.raises(MarkFailed, match="permutation"):
        check_permutation(fresh.public_key(), roots)


SMALL = factorial(5_000)  # with every small factor in it: most that is no prime shares one


def _is_prime(candidate: int) -> bool:
    """By Fermat's test, which is enough for what nobody chose."""
    return gcd(candidate, SMALL) == 1 and pow(2, candidate - 1, candidate) == 1


def _next_prime(start: int) -> int:
    return next(candidate for candidate in count(start | 1, 2) if _is_prime(candidate))


def _prime_with(divisor: int) -> int:
    """A prime of 1536 bits that is 1 more than a multiple of e."""
    factor = (1 << 1536) // divisor - 2
    candidates = count((factor - factor % 2) * divisor + 1, -2 * divisor)
    return next(candidate for candidate in candidates if _is_prime(candidate))


def _combined(one: int, p: int, other: int, q: int) -> int:
    return (one + p * ((other - one) * pow(p, -1, q) % q)) % (p * q)
