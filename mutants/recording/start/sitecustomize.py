"""Every Python process that a test starts imports this first, and then records which lines it runs."""

import os

if "MUTANTS_RECORDING" in os.environ:
    try:
        from mutants.recording.tracing import trace_started_process
    except ImportError:
        pass  # a Python without coverage, which a test's command has found: nothing of ours runs in it
    else:
        trace_started_process()
