"""One of everything that the store keeps, under a name."""

from tests.store.nouns import (
    a_change,
    a_grant,
    a_row,
    a_session,
    a_task,
    a_turn,
    an_approval,
    an_input,
    have_row,
)
from wakeful.model.api.conversation import Conversation, IdempotencyKey
from wakeful.model.event import NewEvent
from wakeful.model.files.attachment import Attachment
from wakeful.model.journal.entry import Entry, answer_entry
from wakeful.model.journal.fact import Answered
from wakeful.model.journal.message import AssistantMessage, Usage
from wakeful.model.login import Login, Ticket
from wakeful.model.messaging.chat import Chat, ChatKind
from wakeful.model.messaging.pairing import Pairing
from wakeful.model.messaging.post import Post, PostKind
from wakeful.model.opening import Opening
from wakeful.model.schedules.cron_job import CronJob, CronRun, RunStatus
from wakeful.model.session import Address, Sender
from wakeful.model.spend import Spend
from wakeful.store.base import Store, Transaction

# When something of two happens: later than anything of one.
LATER = 7777.0


def an_answer(turn_id: str, text: str) -> Entry:
    return answer_entry(turn_id, Answered(1, AssistantMessage(text), Usage()))


def a_post(name: str) -> Post:
    where = Address(f"platform_{name}", f"chat_{name}")
    return Post(f"p_{name}", f"key_{name}", where, PostKind.ANSWER, name, f"s_{name}", turn_id=f"t_{name}")


def a_chat(name: str) -> Chat:
    return Chat(f"key_{name}", f"platform_{name}", ChatKind.PRIVATE, f"chat_{name}", "", f"s_{name}", name)


def a_message(name: str) -> Address:
    return Address(f"platform_{name}", f"chat_{name}", sender=Sender(f"message_{name}"))


async def furnish(store: Store, name: str, at: float) -> None:
    """Make one of everything."""
    session = f"s_{name}"
    turn = a_turn(f"t_{name}", session, opened_at=at, node="old")

    async def body(tx: Transaction) -> None:
        await tx.sessions.create_if_absent(a_session(session, owner=name, title=name, chat_key=f"key_{name}"))
        await tx.open(Opening(turn))
        await tx.turns.take_over_if_running(turn.id, 1, "keeper")
        await tx.turns.keep_system_prompt(session, name.encode())
        await tx.tasks.add_if_absent(a_task(f"k_{name}", session, owner=name, turn_id=turn.id, started_at=at))
        await tx.approvals.ask_if_new(an_approval(turn.id, session, call_id=f"call_{name}", created_at=at))
        await tx.changes.begin(a_change(turn.id, session, path=name, written_at=at))
        await tx.grants.give(a_grant(f"g_{name}", owner=name, session_id=session, created_at=at))
        await tx.journal.add([an_input(turn.id, name), an_answer(turn.id, name)])
        facts = await tx.events.append(session, turn.id, [NewEvent("process_complete", name.encode())])
        await tx.news.add(name, facts[0])
        await tx.readers.see(name, session, 1)
        await tx.spending.add(session, Spend(1, 1, at))
        await tx.conversations.create_if_absent(Conversation(f"c_{name}", name, session, "notes"))
        await tx.idempotency_keys.reserve(IdempotencyKey(name, "key", name, turn.id, at))
        await tx.logins.add_ticket(Ticket(f"ticket_{name}", name, 1.0, 20.0))
        await tx.logins.add(Login(f"login_{name}", name, 1.0, at, 40.0))
        await tx.logins.put_seal(f"home_{name}", name, name)
        await tx.attachments.put_if_new(Attachment(f"a_{name}", name, "text/plain", 1, name, session), is_used=False)
        await tx.attachments.add_piece(f"a_{name}", 0, name.encode())
        await tx.chats.put(a_chat(name))
        await tx.chats.take(a_message(name), at)
        await tx.posts.put(a_post(name))
        await tx.outbox_cursors.put(session, int(at))
        await tx.pairings.put(Pairing(f"platform_{name}", f"user_{name}", name, f"CODE{name}", 1.0))
        await tx.platform_doors.hold(f"platform_{name}", "old")
        await tx.platform_doors.remember(f"platform_{name}", {"name": name})
        await tx.cron_jobs.create(CronJob(f"j_{name}", name, "daily", "@daily", "UTC", name, next_at=at, created_at=at))
        run = CronRun(f"j_{name}", at, RunStatus.RUNNING, session_id=session, turn_id=turn.id, reason=name)
        await tx.cron_jobs.add_run(run)

    await store.write(body, lock=[session])
    await have_row(store, a_row("m", session, turn_id=f"row_{name}", model=name))
