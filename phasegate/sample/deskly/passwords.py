"""Hashing passwords."""

import hashlib
import hmac
import os

_ROUNDS = 10_000


def hash_password(password: str, salt: bytes | None = None) -> str:
    """`salt$hash`, both in hexadecimal."""
    salt = salt or os.urandom(16)
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS)
    return f"{salt.hex()}${digest.hex()}"


def verify_password(password: str, stored: str) -> bool:
    """Whether a password fits its hash, compared in constant time."""
    salt, _, _ = stored.partition("$")
    return hmac.compare_digest(hash_password(password, bytes.fromhex(salt)), stored)
