"""Builds the tools that all turns have, and the gate in front of them."""

from collections.abc import Sequence

from wakeful.config.config import Config
from wakeful.engine.attachments.desk import AttachmentDesk
from wakeful.engine.ledger import Ledger
from wakeful.engine.schedules.desk import ScheduleDesk
from wakeful.gateway.messaging.files import ChatFiles
from wakeful.gateway.platforms.api_server import APIServerAdapter
from wakeful.gateway.platforms.binder import AdapterBinder
from wakeful.model.api.request import request_as_far_as_known
from wakeful.model.turn import Turn
from wakeful.network.checked_target import TargetFinder, addresses_of
from wakeful.tools.base import Tool
from wakeful.tools.cronjob_tool import CronjobTool
from wakeful.tools.files.change_tools import EditFile, WriteFile
from wakeful.tools.files.copies import FileCopies
from wakeful.tools.files.file_changer import FileChanger
from wakeful.tools.files.file_tools import ListFiles, ReadFile
from wakeful.tools.files.workspace import Folders
from wakeful.tools.gate import Gate
from wakeful.tools.ports import TaskLedger
from wakeful.tools.process_tool import ProcessTool
from wakeful.tools.processes.keeper import ProcessKeeper
from wakeful.tools.search.search_files_tool import SearchFiles
from wakeful.tools.session_search_tool import SessionSearchTool
from wakeful.tools.show_file_tool import ShowFileTool
from wakeful.tools.terminal_tool import TerminalTool
from wakeful.tools.todo_tool import TodoTool
from wakeful.tools.web.fetcher import Fetcher
from wakeful.tools.web.web_fetch_tool import WebFetch


def build_gate(ledger: Ledger, binder: AdapterBinder) -> Gate:
    def can_ask(turn: Turn) -> bool:
        return binder.can_ask(turn) or request_as_far_as_known(turn.request).can_ask

    return Gate(ledger.approvals, can_ask)


def _can_show(turn: Turn) -> bool:
    """Return whether a person can look at the turn's session: clients of the API get the answer alone."""
    return turn.door.name != APIServerAdapter.name


def build_tools(
    ledger: Ledger,
    keeper: ProcessKeeper,
    tasks: TaskLedger,
    files: ChatFiles,
    schedules: ScheduleDesk,
    attachments: AttachmentDesk,
    config: Config,
    copies: FileCopies,
) -> Sequence[Tool]:
    home, folders = config.home, Folders(config.home, config.extra_folders)
    changer = FileChanger(ledger.changes, copies)
    return (
        ListFiles(folders),
        ReadFile(folders),
        SearchFiles(folders),
        WriteFile(changer, folders),
        EditFile(changer, folders),
        TerminalTool(keeper, home),
        ProcessTool(keeper, tasks, ledger.delegations, home),
        CronjobTool(schedules),
        ShowFileTool(files, attachments, _can_show, folders),
        SessionSearchTool(ledger.sessions),
        TodoTool(ledger.todo),
    )


def build_web_tools(config: Config) -> Sequence[Tool]:
    if not config.web_fetch:
        return ()
    return (WebFetch(Fetcher(TargetFinder(addresses_of, allows_private=config.web_fetch_allow_private))),)
