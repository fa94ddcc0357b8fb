"""Random logs of turns, as the engine may write them."""

from hypothesis import settings
from hypothesis import strategies as st

from tests.unit.gateway.openai.kit import (
    abandoned,
    cancelled,
    done,
    failed,
    log,
    reasoning,
    result,
    token,
    tool,
    usage,
)
from wakeful.model import event as events
from wakeful.model.event import Event, NewEvent

# No deadline: the first use of one of the SDK's types builds it.
randomly = settings(deadline=None, max_examples=40)

# Any text, with NUL and with characters that some readers take for the end of a line.
TEXTS = st.text(max_size=6) | st.sampled_from(["\n\n", "\r", "\x00", "\x85", "\u2028", "data: [DONE]"])


@st.composite
def turn_logs(draw: st.DrawFn, *, ends: bool | None = None) -> list[Event]:
    """With `ends` only completed ones. Otherwise they end in any way and after any event."""
    last_step = draw(st.integers(1, 3))
    new_events = [new for step in range(1, last_step) for new in draw(_steps(step))]
    new_events += draw(_last_steps(last_step))
    last = done() if ends else draw(st.sampled_from([done(), done("max_output_tokens"), failed(), cancelled()]))
    if last.kind != events.DONE:
        new_events = new_events[: draw(st.integers(0, len(new_events)))]
    return log(*new_events, last)


def spoken(turn_log: list[Event]) -> str:
    """Return the text that was not abandoned."""
    said: list[tuple[int, str]] = []
    for event in turn_log:
        if event.ends is not None and event.ends.said is not None:
            said.append((event.ends.step, event.ends.said.text))
        if event.kind == events.TOKEN:
            said.append((event.data["step"], event.data["text"]))
        elif event.kind == events.STEP_ABANDONED:
            said = [piece for piece in said if piece[0] != event.data["step"]]
    return "".join(text for _, text in said)


@st.composite
def _steps(draw: st.DrawFn, step: int) -> list[NewEvent]:
    """A step that calls the server's tools."""
    call_ids = [f"call_{step}_{number}" for number in range(draw(st.integers(1, 3)))]
    calls = [tool(call_id, step, arguments=draw(TEXTS)) for call_id in call_ids]
    ends = st.sampled_from([True, False, None])
    results = [result(call_id, draw(TEXTS), step, is_error=draw(ends)) for call_id in draw(st.permutations(call_ids))]
    return [*draw(_streamed(step)), *calls, usage(step), *results]


@st.composite
def _last_steps(draw: st.DrawFn, step: int) -> list[NewEvent]:
    """A step that answers, or that hands calls to the client."""
    calls = [tool(f"call_{step}_{number}", step, client=True) for number in range(draw(st.integers(0, 2)))]
    return [*draw(_streamed(step)), *calls, usage(step)]


@st.composite
def _streamed(draw: st.DrawFn, step: int) -> list[NewEvent]:
    """The pieces of an answer, after some attempts that broke off."""
    pieces = st.lists(st.builds(token, TEXTS, st.just(step)) | st.builds(reasoning, TEXTS, st.just(step)), max_size=5)
    broken = draw(st.lists(pieces, max_size=2))
    return [new for attempt in broken for new in [*attempt, abandoned(step)]] + draw(pieces)
