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


def shown_on_terminal(command: Sequence[str], env: Mapping[str, str], width: int = 120) -> str:
    """Run a program, which must succeed, on a terminal of this width. Return all of its output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    shown = bytearray()
    with subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        with suppress(OSError):  # EIO on Linux, when the process has ended
            while block := os.read(ours, 1 << 16):
                shown += block
    os.close(ours)
    text = shown.decode()
    assert process.returncode == 0, text
    return text
