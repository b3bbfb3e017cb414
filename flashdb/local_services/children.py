"""Start child processes that never outlive their parent, and stop them in order on signals.

Start every process of the site by `spawn`. The kernel then sends the child a signal when its parent dies:
PR_SET_PDEATHSIG of prctl(2), which only Linux has.
"""

import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from flashdb.local_services.errors import LocalServicesError
from flashdb.local_services.service_user import ServiceUser

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LIBC = ctypes.CDLL(None)


class Child(subprocess.Popen[bytes]):
    """A process started by `spawn`."""

    log: Path | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Wait as Popen.wait does, but in system calls of one second, so that no signal is ignored for longer.

        Python cannot handle a signal that arrives just before a system call until the call returns.
        """
        while timeout is None:
            with suppress(subprocess.TimeoutExpired):
                return super().wait(1)
        return super().wait(timeout)

    def describe_end(self) -> str:
        """Describe for people how the process ended, with its last output."""
        if self.log is None:
            return f"a child process ended with status {self.returncode}"
        return f"{self.log.stem} ended with status {self.returncode}; {self.log} ends with:\n{tail(self.log)}"


class Interrupted(BaseException):
    """A stop signal has arrived. This is not an Exception, so that only the outermost caller catches it."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_status = 128 + signum


def spawn(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    log: Path | None = None,
    user: ServiceUser | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
    session: bool = True,
) -> Child:
    """Start `argv` as a process that gets `death_signal` when this process dies, for whatever reason.

    log: file for the output of the child; None is the output of this process. user: the account of the child.
    session: give the child a session of its own, so that Ctrl-C does not reach it.
    Call this only from the main thread: the kernel sends the death signal when the starting *thread* ends.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("spawn() must be called from the main thread")
    output = log.open("wb") if log else None
    held = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        child = Child(
            argv,
            env=env,
            stdin=subprocess.DEVNULL if session else None,
            stdout=output,
            stderr=output,
            start_new_session=session,
            preexec_fn=_tie_to(os.getpid(), death_signal),
            **(user.popen_arguments() if user else {}),
        )
        child.log = log
    except BaseException:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        raise
    finally:
        if output:
            output.close()
    return _unblock_signals(child, held, by=death_signal)


def run_to_end(
    argv: Sequence[str | Path], *, env: Mapping[str, str], log: Path, user: ServiceUser | None = None
) -> Child:
    """Start `argv` as `spawn` does, and return the child after its end; a stop signal ends the child, too."""
    child = spawn(argv, env=env, log=log, user=user)
    try:
        child.wait()
    finally:
        with ignoring_signals():
            stop(child)
    return child


def _unblock_signals(child: Child, held: set[int | signal.Signals], *, by: signal.Signals) -> Child:
    """Unblock signals; if one arrived during the start of the child, stop the child, because no caller knows it yet."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    except Interrupted:
        stop(child, by=by)
        raise
    return child


def _tie_to(parent_pid: int, death_signal: signal.Signals) -> Callable[[], None]:
    """Return a function for `preexec_fn`, by which a new child asks the kernel for the death signal.

    The function runs after the change of user, which would cancel the death signal. Until then stop signals are
    blocked, so that no handler of this process runs in the child.
    """

    def tie() -> None:
        for signum in (signal.SIGINT, signal.SIGTERM):  # after `make run &` SIGINT would be ignored
            signal.signal(signum, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        LIBC.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent_pid:  # the parent died before the tie was made
            os._exit(1)

    return tie


def die_with_make() -> None:
    """Make this process end when the `make` that started it dies, so that a killed `make` leaves nothing behind."""
    if "MAKELEVEL" in os.environ:
        LIBC.prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)


def stop(child: Child, *, by: signal.Signals = signal.SIGTERM, grace_s: float = 20) -> None:
    """End `child` by the signal `by`, after `grace_s` seconds by SIGQUIT, then SIGKILL, and kill its process group."""
    for signum, patience_s in ((by, grace_s), (signal.SIGQUIT, min(grace_s, 5)), (signal.SIGKILL, 5)):
        if child.poll() is not None:
            break
        child.send_signal(signum)
        with suppress(subprocess.TimeoutExpired):
            child.wait(patience_s)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)  # an empty group unless the child was a session leader


@contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Raise `Interrupted` in the block at the first SIGINT, SIGTERM or SIGHUP, and ignore later ones."""

    def interrupt(signum: int, _: FrameType | None) -> None:
        _handle_all(signal.SIG_IGN)
        raise Interrupted(signum)

    with _handling(interrupt):
        yield


@contextmanager
def ignoring_signals() -> Iterator[None]:
    """Ignore stop signals in the block, which must be short and certain to end."""
    with _handling(signal.SIG_IGN):
        yield


@contextmanager
def forwarding_signals(child: Child, *, except_for: Sequence[int] = ()) -> Iterator[None]:
    """Forward stop signals to `child` during the block."""

    def forward(signum: int, _: FrameType | None) -> None:
        if signum not in except_for:
            child.send_signal(signum)

    with _handling(forward):
        yield


Handler = Callable[[int, FrameType | None], None] | signal.Handlers


@contextmanager
def _handling(handler: Handler) -> Iterator[None]:
    before = {signum: signal.getsignal(signum) for signum in STOP_SIGNALS}
    _handle_all(handler)
    try:
        yield
    finally:
        for signum, previous in before.items():
            signal.signal(signum, previous)


def _handle_all(handler: Handler) -> None:
    for signum in STOP_SIGNALS:
        if signum == signal.SIGHUP and signal.getsignal(signum) == signal.SIG_IGN:
            continue  # started by nohup
        signal.signal(signum, handler)


def await_ready(name: str, child: Child, is_ready: Callable[[], bool], *, patience_s: float) -> None:
    """Wait until a server is ready. Raise LocalServicesError if it ends, or is not ready in time."""
    deadline = time.monotonic() + patience_s
    while not is_ready():
        if child.poll() is not None:
            raise LocalServicesError(f"cannot start {name}: {child.describe_end()}")
        if time.monotonic() > deadline:
            assert child.log is not None
            raise LocalServicesError(
                f"{name} did not answer within {patience_s} s; {child.log} ends with:\n{tail(child.log)}"
            )
        time.sleep(0.02)


def tail(log: Path) -> str:
    """Return the last 15 lines of a log, or a remark that the log is missing or empty."""
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-15:]) or "(empty log)"
