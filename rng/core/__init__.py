"""What decides the numbers, and nothing else: small enough to be read in an afternoon.

In this order, each building only on those before it:

    canonical   one byte form for everything that is hashed or signed (RFC 8785)
    drbg        HMAC_DRBG of SP 800-90A, with SHA-256
    entropy     the operating system's entropy, and the health tests that gate it
    generator   the cycling generator that gives each draw its 32 secret bytes
    select      20 of 80, unbiased
    mark        the inspector's signature that completes the seed, and why it is unique
    derive      from intent and mark to the 20 numbers
    shapes      how a document is checked against its written form, field by field
    records     every document of the draw, field by field
    signing     hashes, key ids and Ed25519 signatures of those documents
    selftest    known answers for all of the above

Nothing here opens a file or a socket, reads a clock, or knows what a ticket is. Only `entropy`
reads the operating system's random source, and only when it is called to.
"""
