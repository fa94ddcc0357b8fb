"""Ends the logins that were made with a password or key which has been replaced since."""

from collections.abc import Mapping
from hashlib import sha256
from hmac import digest

from wakeful.store.base import Store, Transaction


def seals_of(key: str, password: str, api_keys: Mapping[str, str], *, operator: str) -> dict[str, str]:
    """A fingerprint of what lets each principal in. Without the local key no password can be guessed from it."""

    def seal(word: str) -> str:
        return digest(key.encode(), word.encode("utf-8", "surrogatepass"), sha256).hex()

    return {operator: seal(password)} | {name: seal(api_key) for name, api_key in api_keys.items()}


async def end_outdated_logins(store: Store, home: str, seals: Mapping[str, str], *, operator: str) -> None:
    """With another local key or password all logins and links end, for the operator could make them for anyone; with
    another key of one holder, those of that holder. Each home has a local key of its own, and is compared with itself.
    """

    async def body(tx: Transaction) -> None:
        known = await tx.logins.seals(home)
        changed = [name for name, seal in seals.items() if known.get(name, seal) != seal]
        for name in changed:
            await tx.logins.drop_of(None if name == operator else name)
        for name, seal in seals.items():
            if known.get(name) != seal:
                await tx.logins.put_seal(home, name, seal)

    await store.write(body)
