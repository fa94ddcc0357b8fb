"""`wakeful approvals`: list and answer the open questions of all sessions."""

import click
import orjson

from wakeful.cli.chat.cards.question_card import QuestionData, question_lines, time_left
from wakeful.cli.client import Client
from wakeful.cli.command import quiet_config, run
from wakeful.cli.connection import connected
from wakeful.cli.lists.short_id import find_named, short_id, short_names
from wakeful.cli.plain_text import harmless, one_line
from wakeful.config.config import Config
from wakeful.errors import ApprovalNotFound

_HOW = "Answer with wakeful approvals allow ID, allow ID --session, allow ID --folder, or deny ID."
_ANSWERED = {
    "once": "Allowed once.",
    "session": "Allowed for the session.",
    "folder": "Allowed for the folder.",
    "deny": "Denied.",
}


@click.command(options_metavar="[--session | --folder] [--json]")
@click.argument("words", metavar="[allow ID | deny ID | show ID]", nargs=-1)
@click.option("--session", "longer", flag_value="session", help="Allow these kinds in the whole session.")
@click.option("--folder", "longer", flag_value="folder", help="Allow these kinds in its folder and below.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known, as JSON.")
def approvals(words: tuple[str, ...], longer: str | None, as_json: bool) -> None:
    """List what agents ask before they go on, and answer it: allow or deny it, or show a question whole."""
    is_allowing = len(words) == 2 and words[0] == "allow"
    if words and (len(words) != 2 or words[0] not in ("allow", "deny", "show")):
        raise click.UsageError("Give no arguments, or allow, deny or show and the ID of a question.")
    if longer is not None and not is_allowing:
        raise click.UsageError(f"--{longer} goes with allow and the ID of a question.")
    config = quiet_config()
    run(_do(config, words, longer or "once", as_json))


async def _do(config: Config, words: tuple[str, ...], longer: str, as_json: bool) -> None:
    async with connected(config, adopts=False, door="terminal") as client:
        questions: list[QuestionData] = (await client.get("/api/approvals"))["approvals"]
        if not words:
            click.echo(orjson.dumps(questions, option=orjson.OPT_INDENT_2) if as_json else _listed(questions))
            return
        question = questions[find_named(words[1], _ids(questions), ApprovalNotFound, "question")]
        if words[0] == "show":
            click.echo("\n".join(harmless(part) for part in (question["command"], question["preview"]) if part))
        else:
            await _answer(client, question, longer if words[0] == "allow" else "deny")


async def _answer(client: Client, question: QuestionData, choice: str) -> None:
    answer = {"session_id": question["session_id"], "call_id": question["call_id"], "choice": choice}
    await client.post("/api/approval/respond", answer)
    click.echo(_ANSWERED[choice])
    if words := question["choice_words"].get(choice):
        click.echo(one_line(words))


def _listed(questions: list[QuestionData]) -> str:
    names = short_names(_ids(questions))
    lines = [line for question, name in zip(questions, names, strict=True) for line in (*_lines(question, name), "")]
    return "\n".join([*lines, _HOW]) if lines else "No agent asks anything."


def _lines(question: QuestionData, name: str) -> list[str]:
    title = one_line(question["session_title"]) or "a session without a title"
    dangers = question_lines(question, f"wakeful approvals show {name} shows all")
    longer = [f"--{choice}: {one_line(words)}" for choice, words in question["choice_words"].items()]
    head = f"{name}  {title} ({short_id(question['session_id'])}), waits {time_left(question)}"
    return [head, *(f"    {line}" for line in (*dangers, *longer))]


def _ids(questions: list[QuestionData]) -> list[str]:
    """Return an id for each question. Call ids alone are unique only within their session."""
    return [f"{question['session_id']}/{question['call_id']}" for question in questions]
