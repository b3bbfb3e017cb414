"""The process that takes tasks: everything is imported once, and each task is done by a fork that ends with it.

Its processor time and memory are limited by the kernel, so no input can take more, whatever the code does.
"""

import gc
import os
import pickle
import resource
import signal
import sys
from pathlib import Path
from typing import BinaryIO

from submissions.apart.tasks import TASKS, Task
from submissions.domain.errors import ReportError


def main() -> None:
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that prints can stand between the answers
    os.nice(int(sys.argv[1]))
    gc.freeze()
    while True:
        try:
            name, arguments = pickle.load(requests)
        except EOFError:  # the web process is gone
            return
        child = os.fork()
        if not child:
            _work(TASKS[name], arguments, answers)
        if os.waitpid(child, 0)[1]:
            pickle.dump((False, TASKS[name].refusal), answers)
            answers.flush()


def _work(task: Task, arguments: tuple[object, ...], answers: BinaryIO) -> None:
    """Answers, or ends with a status that says it did not."""
    gc.disable()
    try:
        _limit(task)
        outcome = _outcome(task, arguments)
        packed = pickle.dumps(outcome)
    except MemoryError:
        os._exit(1)
    signal.setitimer(signal.ITIMER_PROF, 0)  # half an answer would be worse than none
    answers.write(packed)
    answers.flush()
    os._exit(0)


def _limit(task: Task) -> None:
    """The alarm ends the process, for nothing handles it."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + task.memory_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.setitimer(signal.ITIMER_PROF, task.cpu_s)


def _outcome(task: Task, arguments: tuple[object, ...]) -> tuple[bool, object]:
    try:
        return True, task.work(*arguments)
    except ReportError as refusal:
        return False, refusal


if __name__ == "__main__":
    main()
