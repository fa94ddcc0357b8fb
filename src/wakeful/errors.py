"""All errors of Wakeful. Each is named for the fact that it states; its docstring is its default message."""


class WakefulError(Exception):
    """Something went wrong in Wakeful."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class ConfigError(WakefulError):
    """A setting is wrong."""


class StoreError(WakefulError):
    """The database could not do what was asked."""


class StoreLocked(StoreError):
    """Another process holds the database."""


class StoreReadOnly(StoreError):
    """The database cannot be written."""


class StoreFull(StoreError):
    """The disk that holds the database is full; free some room and start again, nothing recorded is lost."""


class StoreTooNew(StoreError):
    """The database was written by a newer Wakeful."""


class StoreUnavailable(StoreError):
    """The database cannot be reached."""


class StoreTooSlow(StoreError):
    """The database took too long to answer, so the query was cancelled: ask for less, or try again later."""


class SessionLocked(StoreError):
    """Another transaction has held the session for too long: try again."""


class LeaseLost(WakefulError):
    """This node no longer holds the turn: it was stopped, closed or taken over."""


class SessionNotFound(WakefulError):
    """There is no such session."""


class AttachmentNotFound(WakefulError):
    """There is no such attachment."""


class AttachmentUnusable(WakefulError):
    """attachments must be ids that POST /api/attachments has returned to you."""


class AttachmentTooLarge(WakefulError):
    """The file is too large."""


class TurnNotFound(WakefulError):
    """There is no such turn."""


class TaskNotFound(WakefulError):
    """There is no such background task."""


class LoginNotFound(WakefulError):
    """There is no such login: it may have ended already."""


class ApprovalNotFound(WakefulError):
    """There is no such question."""


class AlreadyAnswered(WakefulError):
    """The question has been answered already, or has expired."""


class OnceOnly(WakefulError):
    """This can be allowed once only: answer once or deny."""


class NoFolderToGrant(WakefulError):
    """The session has no folder of its own to allow this for: answer once, session or deny."""


class GrantNotFound(WakefulError):
    """There is no such grant."""


class PostNotFound(WakefulError):
    """There is no such post."""


class PostNotOpen(WakefulError):
    """Only a post that was refused can be sent again, and only one that waits or was refused can be dropped."""


class NoSuchCode(WakefulError):
    """No person waits with this code: it is wrong, or older than an hour. Ask for a new one by writing to the bot."""


class PairingNotFound(WakefulError):
    """No such person is paired or waits to be."""


class JobNotFound(WakefulError):
    """There is no such schedule."""


class NotAllowed(WakefulError):
    """Only the operator may do this."""


class McpServerNotFound(WakefulError):
    """There is no such MCP server, or it is disabled."""


class HookNotFound(WakefulError):
    """There is no such hook."""


class BadSignature(WakefulError):
    """The signature of the request is missing or wrong."""


class TooManyDelegations(WakefulError):
    """There are too many sub-agents."""


class NotQueued(WakefulError):
    """The message is no longer queued."""


class MessageUnusable(WakefulError):
    """The message cannot be used."""


class EngineStopping(WakefulError):
    """The server is stopping and takes no new work."""


class NameTaken(WakefulError):
    """Another request took the same new name first: send this one again."""


class NothingToCompact(WakefulError):
    """There are fewer than four messages since the last summary: nothing to sum up yet."""


class NothingToUndo(WakefulError):
    """There is nothing to undo: no change that write_file or edit_file made here is left to take back."""


class SessionBusy(WakefulError):
    """The session is busy with another turn."""

    def __init__(self, active_turn_id: str) -> None:
        super().__init__()
        self.active_turn_id = active_turn_id


class TurnFailed(WakefulError):
    """A turn could not be finished.

    `code` is short and stable; `passing` means that trying again later may help.
    """

    def __init__(self, message: str, *, code: str, passing: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.passing = passing


class ModelError(TurnFailed):
    """The model could not answer.

    `retry_after` is the number of seconds that its endpoint asked us to wait, or None. `window` is the number of tokens
    that the model can read, if its endpoint refused a longer context and named it.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        passing: bool = False,
        retry_after: float | None = None,
        window: int | None = None,
    ) -> None:
        super().__init__(message, code=code, passing=passing)
        self.retry_after = retry_after
        self.window = window


class LimitReached(TurnFailed):
    """A limit on steps, tokens or time ended the turn."""


class RequestNotUnderstood(TurnFailed):
    """This turn's request is stored in a form that this version does not understand: send it again."""

    def __init__(self) -> None:
        super().__init__("", code="request_not_understood")
