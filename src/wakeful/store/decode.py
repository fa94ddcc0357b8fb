"""Rows of either database as nouns. Both stores name their columns alike, so they share this and no query."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any, Protocol, TypeVar

import orjson

from wakeful.model.approvals.approval import EXPIRED, Approval, Choice, Reason
from wakeful.model.approvals.grant import Grant
from wakeful.model.conversation import Conversation, IdempotencyKey
from wakeful.model.delivery import Delivery
from wakeful.model.event import TOOL, Event, Quote, quoted
from wakeful.model.inbox import InboxRow, RowKind, RowStatus
from wakeful.model.journal import Chain, Entry, EntryKind
from wakeful.model.lane import Lane
from wakeful.model.login import Login, Ticket
from wakeful.model.marks import Marks
from wakeful.model.news import News
from wakeful.model.search.search import Hit, searched_text
from wakeful.model.session import Address, Sender, Session, TitleOrigin
from wakeful.model.tasks.task import Host, Task, TaskKind, TaskStatus
from wakeful.model.turn import Door, Turn, TurnStatus
from wakeful.model.words import Said, Word, WordsEnd, WordsHead, unpack_cuts

_DOOR_AND_PLACE = ("async_delivery", "platform", "chat_id", "thread_id", "sender")


T = TypeVar("T")

_REASON_FIELDS = frozenset(field.name for field in fields(Reason))
_STATUS_NOT_UNDERSTOOD = orjson.dumps(
    {"code": "status_not_understood", "message": "This version of Wakeful does not know what became of this turn."}
)

logger = logging.getLogger(__name__)


class Row(Protocol):
    def __getitem__(self, column: str, /) -> Any: ...


def decoded(decode: Callable[[Row], T], rows: Iterable[Row]) -> list[T]:
    """All that this version understands. What a newer one has written, or what is damaged, is left out, and the log
    names it: the others are not to suffer for it.
    """
    return [noun for row in rows if (noun := _understood(decode, row)) is not None]


def _understood(decode: Callable[[Row], T], row: Row) -> T | None:
    try:
        return decode(row)
    except (ValueError, TypeError) as error:
        logger.warning("a row in the database is not understood: %s: %s", _name_of(row), error)
        return None


def _name_of(row: Row) -> str:
    for column in ("id", "turn_id"):
        with suppress(LookupError):
            return str(row[column])
    return "one without an id"


def session_from(row: Row) -> Session:
    return Session(
        id=row["id"],
        owner=row["owner"],
        address=Address(row["platform"], row["chat_id"], row["thread_id"]),
        model=row["model"],
        workspace=row["workspace"],
        chat_key=row["chat_key"],
        chat_name=row["chat_name"],
        title=row["title"],
        task_id=row["task_id"],
        is_listed=bool(row["is_listed"]),
        head=row["head"],
        checkpoint=row["checkpoint"],
        active=row["active"],
        last_seq=row["last_seq"],
        is_held=bool(row["is_held"]),
        is_blocked=bool(row["is_blocked"]),
        wake_at=row["wake_at"],
        message_count=row["message_count"],
        is_pinned=bool(row["is_pinned"]),
        is_archived=bool(row["is_archived"]),
        purge_at=row["purge_at"],
        closed_seq=row["closed_seq"],
        title_origin=_title_origin(row["title_origin"]),
        title_tries=row["title_tries"],
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        context_tokens=row["context_tokens"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def marks_from(row: Row) -> Marks:
    return Marks(
        running_tasks=row["running_tasks"],
        open_approvals=row["open_approvals"],
        is_unread=bool(row["is_unread"]),
        last_status=row["last_status"],
        is_woken=bool(row["is_woken"]),
    )


def news_from(row: Row) -> News:
    """From a row of news joined with its event and its session."""
    event = Event(
        session_id=row["session_id"],
        session_seq=row["session_seq"],
        turn_id=row["turn_id"],
        turn_seq=row["turn_seq"],
        kind=row["kind"],
        kept=row["payload"],
        at=row["at"],
    )
    return News(row["number"], event, row["title"], row["last_seq"])


def turn_from(row: Row) -> Turn:
    status, error = _status_and_error(row)
    return Turn(
        id=row["id"],
        session_id=row["session_id"],
        parent=row["parent"],
        door=_door_from(row),
        address=_address_from(row),
        source=row["source"],
        is_wakeup=bool(row["is_wakeup"]),
        model=row["model"],
        status=status,
        node=row["node"],
        epoch=row["epoch"],
        resumes=row["resumes"],
        last_seq=row["last_seq"],
        reserved=row["reserved"],
        attempt=row["attempt"],
        workspace=row["workspace"],
        message_id=row["message_id"],
        request=row["request"],
        is_hidden=bool(row["is_hidden"]),
        error=error,
        opened_at=row["opened_at"],
        closed_at=row["closed_at"],
        number=row["number"],
    )


def inbox_row_from(row: Row) -> InboxRow:
    return InboxRow(
        id=row["id"],
        session_id=row["session_id"],
        dedupe_key=row["dedupe_key"],
        kind=RowKind(row["kind"]),
        source=row["source"],
        turn_id=row["turn_id"],
        door=_door_from(row),
        address=_address_from(row),
        model=row["model"],
        payload=row["payload"],
        steers=bool(row["steers"]),
        is_urgent=bool(row["is_urgent"]),
        not_before=row["not_before"],
        status=RowStatus(row["status"]),
        claimed_by=row["claimed_by"],
        created_at=row["created_at"],
    )


# The columns of a lane's turn and of its rows stand beside those of the session, each under a name of its own.
_OF_TURN = (*(f.name for f in fields(Turn) if f.name not in ("address", "is_ephemeral", "works_for")), *_DOOR_AND_PLACE)
_OF_ROW = (*(f.name for f in fields(InboxRow) if f.name != "address"), *_DOOR_AND_PLACE)
LANE_COLUMNS = ", ".join(
    [*(f"t.{name} AS t_{name}" for name in _OF_TURN), *(f"i.{name} AS i_{name}" for name in _OF_ROW)]
)


@dataclass(frozen=True, slots=True)
class _Part:
    row: Row
    prefix: str

    def __getitem__(self, column: str, /) -> Any:
        return self.row[self.prefix + column]


def lane_from(rows: Sequence[Row], promised: Collection[str], now: float) -> Lane:
    """From the row of a session, once for each of its inbox rows, joined with its active turn. A row that is not
    pending is there because its name was asked about.
    """
    first = rows[0]
    inbox = decoded(inbox_row_from, [_Part(row, "i_") for row in rows if row["i_id"] is not None])
    return Lane(
        session_from(first),
        None if first["t_id"] is None else turn_from(_Part(first, "t_")),
        tuple(row for row in inbox if row.status is RowStatus.PENDING),
        next((row for row in inbox if row.dedupe_key == first["asked_key"]), None),
        frozenset(promised),
        first["spent_at"],
        now,
    )


def events_from(rows: Iterable[Row]) -> list[Event]:
    """From rows of a log, each joined with the entry that it quotes. Of the calls of one answer the first in the page
    has it.
    """
    entries: dict[tuple[str, int, int], dict[str, Any]] = {}
    return [_event_from(row, entries) for row in rows]


def _event_from(row: Row, entries: dict[tuple[str, int, int], dict[str, Any]]) -> Event:
    return Event(
        row["session_id"],
        row["session_seq"],
        row["turn_id"],
        row["turn_seq"],
        row["kind"],
        row["payload"],
        row["at"],
        None if row["ends"] is None else WordsEnd.from_data(orjson.loads(row["ends"])),
        None if row["step"] is None else _quote_from(row, entries),
    )


def _quote_from(row: Row, entries: dict[tuple[str, int, int], dict[str, Any]]) -> Quote:
    kind, step, index = row["kind"], row["step"], row["idx"]
    place = (row["turn_id"], step, 0 if kind == TOOL else index)
    if row["entry"] is not None:
        entries[place] = orjson.loads(row["entry"])
    entry = entries.get(place)
    return Quote(step, index, {} if entry is None else quoted(kind, index, entry))


def words_from(row: Row | None, head: WordsHead, after: int, limit: int) -> list[Word]:
    """Pieces of an entry's text and reasoning; its payload and cuts are in the row."""
    if row is None or not row["cuts"]:
        return []
    data = orjson.loads(row["payload"])
    said = Said(data["text"], data["reasoning"], unpack_cuts(row["cuts"]))
    return said.words(head, after, limit)


def hits_from(pages: Iterable[Iterable[Iterable[Any]]], limit: int) -> dict[str, Hit | None]:
    """The newest entry of each session, from rows of what was found, newest first; None where only its title was."""
    found: dict[str, Hit | None] = {}
    for session_id, turn_id, step, index in chain.from_iterable(pages):
        if session_id not in found and len(found) == limit:
            break
        if found.get(session_id) is None:
            found[session_id] = None if turn_id is None else Hit(turn_id, step, index)
    return found


def doc_text(row: Row) -> str:
    """What is searched of a row that has a session's title and, unless the title is meant, a journal entry."""
    if row["turn_id"] is None:
        title: str = row["title"]
        return title
    try:
        return "" if row["kind"] is None else searched_text(entry_from(row))
    except (ValueError, LookupError, AttributeError):
        # Written by another version, or by hand: it is not found, and keeps nothing else from being so.
        return ""


def entry_from(row: Row) -> Entry:
    return Entry(row["turn_id"], row["step"], row["idx"], EntryKind(row["kind"]), row["payload"], row["at"])


def chain_from(rows: Sequence[Row]) -> Chain:
    """From the rows of a chain of turns, oldest first, each joined with its entries, if it has any."""
    if not rows:
        return Chain("", None, [])
    first, last = rows[0], rows[-1]
    entries = [entry_from(row) for row in rows if row["kind"] is not None]
    return Chain(first["revision"], first["base"], entries, last["last"] if last["depth"] else None)


def task_from(row: Row) -> Task:
    """From a row of tasks joined with the notice of its end."""
    notice_status = row["notice_status"]
    return Task(
        id=row["id"],
        kind=TaskKind(row["kind"]),
        session_id=row["session_id"],
        owner=row["owner"],
        turn_id=row["turn_id"],
        step=row["step"],
        index=row["idx"],
        host=Host(row["host"], row["boot_id"]),
        command=row["command"].decode(),
        door=_door_from(row),
        address=_address_from(row),
        model=row["model"],
        will_notify=bool(row["will_notify"]),
        part=row["part"],
        is_inline=bool(row["is_inline"]),
        spec=row["spec"],
        watch=row["watch"],
        attempt=row["attempt"],
        node=row["node"],
        child_session_id=row["child_session_id"],
        status=TaskStatus(row["status"]),
        exit_code=row["exit_code"],
        result=row["result"].decode(),
        kill_intended=bool(row["kill_intended"]),
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        notice_status=None if notice_status is None else RowStatus(notice_status),
        woke_turn_id=row["woke_turn_id"],
    )


def approval_from(row: Row) -> Approval:
    choice = row["choice"]
    return Approval(
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        step=row["step"],
        index=row["idx"],
        call_id=row["call_id"],
        tool=row["tool"],
        command=row["command"].decode(),
        reasons=_reasons(row["dangers"]),
        expires_at=row["expires_at"],
        preview=row["preview"].decode(),
        folder=row["folder"],
        granted_until=row["granted_until"],
        task_id=row["task_id"],
        choice=None if choice in (None, EXPIRED) else _choice(choice),
        created_at=row["created_at"],
    )


def grant_from(row: Row) -> Grant:
    return Grant(
        id=row["id"],
        owner=row["owner"],
        kind=row["kind"],
        session_id=row["session_id"],
        folder=row["folder"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        last_used_at=row["last_used_at"],
        uses=row["uses"],
        example=row["example"].decode(),
    )


def conversation_from(row: Row) -> Conversation:
    return Conversation(
        id=row["id"],
        owner=row["owner"],
        session_id=row["session_id"],
        name=row["name"],
        metadata=row["metadata"],
        created_at=row["created_at"],
    )


def idempotency_key_from(row: Row) -> IdempotencyKey:
    return IdempotencyKey(row["owner"], row["key"], row["fingerprint"], row["turn_id"], row["created_at"])


def delivery_from(row: Row) -> Delivery:
    return Delivery(row["id"], row["event_id"], row["endpoint"], row["body"], row["tries"])


def login_from(row: Row) -> Login:
    return Login(
        row["digest"],
        row["principal"],
        row["created_at"],
        row["used_at"],
        row["expires_at"],
        row["browser"],
        row["address"],
    )


def ticket_from(row: Row) -> Ticket:
    return Ticket(row["digest"], row["principal"], row["created_at"], row["expires_at"], row["used_at"])


def _status_and_error(row: Row) -> tuple[TurnStatus, bytes | None]:
    """A status that this version does not know is shown as a failure: to this version the turn is at an end."""
    try:
        return TurnStatus(row["status"]), row["error"]
    except ValueError:
        return TurnStatus.FAILED, _STATUS_NOT_UNDERSTOOD


def _title_origin(stored: str) -> TitleOrigin:
    with suppress(ValueError):
        return TitleOrigin(stored)
    return TitleOrigin.USER  # Whatever it was, it stays.


def _choice(stored: str) -> Choice:
    with suppress(ValueError):
        return Choice(stored)
    return Choice.DENY  # What is not understood allows nothing.


def _reasons(stored: bytes) -> tuple[Reason, ...]:
    found: list[dict[str, Any]] = orjson.loads(stored)
    known = [{name: value for name, value in one.items() if name in _REASON_FIELDS} for one in found]
    return tuple(Reason(**one) for one in known)


def _door_from(row: Row) -> Door:
    return Door(row["door"], bool(row["async_delivery"]))


def _address_from(row: Row) -> Address:
    return Address(row["platform"], row["chat_id"], row["thread_id"], Sender.unpacked(row["sender"]))
