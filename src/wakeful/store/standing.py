"""Which turns of a deleted session are still needed."""

from collections.abc import Collection, Mapping, Sequence


def unneeded(turns: Sequence[str], children: Mapping[str, Collection[str]], held: Collection[str]) -> list[str]:
    """Of these turns, newest first, those that can go: no session has its head there, and no turn that stays grows
    from them. `children` are all the turns that grow from each, in any session.
    """
    gone: dict[str, None] = {}
    for turn in turns:
        if turn not in held and all(child in gone for child in children.get(turn, ())):
            gone[turn] = None
    return list(gone)
