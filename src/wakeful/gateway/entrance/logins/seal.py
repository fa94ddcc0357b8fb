"""Ends logins made with a password or key that has been replaced since."""

from collections.abc import Mapping
from hashlib import sha256
from hmac import digest

from wakeful.store.base import Store, Transaction


def seals_of(key: str, password: str, api_keys: Mapping[str, str], *, operator: str) -> dict[str, str]:
    """Return a fingerprint of each principal's credential. Guessing a password from it would take the local key."""

    def seal(word: str) -> str:
        return digest(key.encode(), word.encode("utf-8", "surrogatepass"), sha256).hex()

    return {operator: seal(password)} | {name: seal(api_key) for name, api_key in api_keys.items()}


async def end_outdated_logins(store: Store, home: str, seals: Mapping[str, str], *, operator: str) -> None:
    """End the logins and links of every principal whose credential has changed since the last start.

    A new local key or password ends those of all principals, because the operator could have made them for anyone.
    Seals are kept per home, because each home has its own local key.
    """

    async def body(tx: Transaction) -> None:
        known = await tx.logins.seals(home)
        changed = [name for name, seal in seals.items() if known.get(name, seal) != seal]
        for name in changed:
            await tx.logins.drop_of(None if name == operator else name)
        for name, seal in seals.items():
            await tx.logins.put_seal(home, name, seal)

    await store.write(body)
