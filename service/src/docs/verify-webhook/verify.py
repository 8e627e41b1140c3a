import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(raw_body: bytes, header: str, secret: str, now: float | None = None) -> bool:
    """`raw_body` is the body as it came, `header` the value of Service-Signature."""
    parts = [part.strip().partition("=") for part in header.split(",")]
    t = next((value for name, _, value in parts if name == "t"), "")
    if not (t.isascii() and t.isdigit()):
        return False
    if abs((time.time() if now is None else now) - int(t)) > TOLERANCE_SECONDS:
        return False
    wanted = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    # For a day after a rotation there are two v1: any of them may match.
    given = [value for name, _, value in parts if name == "v1"]
    return any(hmac.compare_digest(value.encode(), wanted.encode()) for value in given)
