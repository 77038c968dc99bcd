"""A long text on a terminal, through the reader's own pager, as git does it."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress


def show(text: str) -> None:
    """Print it; on a terminal through `$PAGER`, else `less`, which prints what fits on one screen."""
    command = shlex.split(os.environ.get("PAGER", "less"))
    if not sys.stdout.isatty() or not command or shutil.which(command[0]) is None:
        print(text, end="")
        return
    # As git: -F quits where one screen is enough, -R lets colours through, -X leaves the text on the screen.
    environment = {"LESS": "FRX", **os.environ}
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment) as pager:
        # Ctrl-C is the pager's own key.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with suppress(BrokenPipeError):
                pager.communicate(text.encode(errors="backslashreplace"))
        finally:
            signal.signal(signal.SIGINT, before)
