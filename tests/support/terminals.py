"""Output of programs on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress


def shown_on_terminal(
    command: Sequence[str], env: Mapping[str, str], width: int = 120, *, only_stdout: bool = False
) -> str:
    """Run a program, which must succeed, on a terminal of this width. Return its output on the terminal.

    With `only_stdout`, stdin and stderr are not the terminal.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    others = subprocess.DEVNULL if only_stdout else theirs
    shown = bytearray()
    with subprocess.Popen(command, env=env, stdin=others, stdout=theirs, stderr=others) as process:
        os.close(theirs)
        with suppress(OSError):  # EIO on Linux, when the process has ended
            while block := os.read(ours, 1 << 16):
                shown += block
    os.close(ours)
    text = shown.decode()
    assert process.returncode == 0, text
    return text
