"""A person at a terminal, for tests: a process behind one, whose screen is read and whose keys are pressed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COMMAND = [sys.executable, "-c", "from ohmline.cli import main; main()"]


class Terminal:
    """A process in a terminal of its own."""

    def __init__(
        self,
        arguments: Sequence[str],
        cwd: Path,
        *,
        size: tuple[int, int] = (100, 40),
        environment: Mapping[str, str] | None = None,
        child: Callable[[], None] | None = None,
        out: Path | None = None,
    ) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                os.chdir(cwd)
                os.environ.update({"TERM": "xterm-256color", "NO_COLOR": "1", **(environment or {})})
                if out is not None:
                    os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
                if child is None:
                    os.execv(COMMAND[0], [*COMMAND, *arguments])
                child()
            finally:
                os._exit(97)
        self.raw = b""
        self.resize(*size)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    @property
    def text(self) -> str:
        """All that was ever shown, without styles."""
        return _STYLE.sub("", self.raw.decode("utf-8", "replace")).replace("\r", "")

    @property
    def screen(self) -> str:
        """What was shown since the screen was cleared last."""
        last = self.raw.rpartition(b"\x1b[2J")[2]
        return _STYLE.sub("", last.decode("utf-8", "replace")).replace("\r", "")

    def pump(self, seconds: float) -> bool:
        """Read for a while; False once the process has closed the terminal."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    piece = os.read(self.fd, 65536)
                except OSError:
                    return False
                if not piece:
                    return False
                self.raw += piece
        return True

    def until(self, words: str, seconds: float = 120.0) -> str:
        """Wait until the present screen shows something; the screen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(words, self.screen):
                return self.screen
            if not self.pump(0.02) and not re.search(words, self.screen):
                break
        raise AssertionError(f"{words!r} did not come up on\n{self.screen}")

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def node(self) -> str:
        """The node that is asked for, once the whole question is there."""
        found = re.search(r"^node (\S+)", self.until(r"(?s)node \S+.*q quit.*\n(estimated|\d+ of)"), re.M)
        assert found is not None
        return found[1]

    def kill(self, number: int = signal.SIGKILL) -> int:
        """End the process; its exit code, negative for a signal."""
        os.kill(self.pid, number)
        return self.wait()

    def wait(self, seconds: float = 240.0) -> int:
        """The exit code, once the process has ended by itself."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.pump(0.01)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pump(0.05)
                os.close(self.fd)
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(f"the process did not end; it shows\n{self.screen}")
