"""What a loop does with long results, for tests that have none."""

from pathlib import Path

from wakeful.tools.base import RESULT_LIMIT
from wakeful.tools.files.kept_results import KeptResults

SHORT_RESULTS = KeptResults(Path("/nowhere"), lambda model: RESULT_LIMIT)
