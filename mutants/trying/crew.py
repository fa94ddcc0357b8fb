"""Some workers at a time: each gets the next trial when it has judged the one before."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from mutants.trying.worker import Judgement, Trial, work


@dataclass
class _Member:
    process: BaseProcess
    connection: Connection
    trial: Trial | None = None


class Crew:
    def __init__(self, members: list[_Member]) -> None:
        self._members = members

    def judge(self, trials: list[Trial]) -> Iterator[tuple[Trial, Judgement]]:
        """Yield the judgements as they come."""
        waiting = list(reversed(trials))
        for member in self._members:
            self._give(member, waiting)
        while busy := {member.connection: member for member in self._members if member.trial}:
            for ready in wait(list(busy)):
                member = busy[ready]  # type: ignore[index]
                trial = member.trial
                assert trial is not None
                judgement = member.connection.recv()
                self._give(member, waiting)
                yield trial, judgement

    def _give(self, member: _Member, waiting: list[Trial]) -> None:
        member.trial = waiting.pop() if waiting else None
        if member.trial:
            member.connection.send(member.trial)


@contextmanager
def crew(size: int, root: Path, folder: Path, tools: list[str]) -> Iterator[Crew]:
    """`tools` are modules that each worker imports once, for all its runs."""
    # Not forked: a worker forks itself, which is safe only without the threads of its parent.
    context = multiprocessing.get_context("spawn")
    members = []
    try:
        for number in range(size):
            ours, theirs = context.Pipe()
            place = folder / str(number)
            place.mkdir()
            process = context.Process(target=work, args=(theirs, root, place, tools))
            process.start()
            theirs.close()
            members.append(_Member(process, ours))
        yield Crew(members)
    finally:
        for member in members:
            member.process.terminate()
        for member in members:
            member.process.join()
