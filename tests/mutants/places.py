"""Make the mutants of a file, with one small change each, by the operators of mutmut."""

import ast
import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators


def _another_number(node: cst.BaseNumber) -> Iterator[cst.BaseNumber]:
    """Yield other numbers for a mutant, but never a number of the same value: 1e18 + 1 is 1e18 as a float."""
    value = getattr(node, "evaluated_value", None)
    yield from (
        other for other in mutators.operator_number(node) if getattr(other, "evaluated_value", None) != value
    )


def _keyword_left_out(node: cst.Call) -> Iterator[cst.Call]:
    for number, argument in enumerate(node.args):
        if argument.keyword and argument.keyword.value not in _PROMISES:
            yield node.with_changes(args=[*node.args[:number], *node.args[number + 1 :]])


def _none_returned(node: cst.Return) -> Iterator[cst.Return]:
    if node.value and getattr(node.value, "value", "") != "None":
        yield node.with_changes(value=cst.Name("None"))


def _either_way(node: cst.If) -> Iterator[cst.If]:
    for truth in ("True", "False"):
        yield node.with_changes(test=cst.Name(truth))


# No operator for texts, because changed sentences do not count here.
OPERATORS: list[tuple[type, Callable]] = [
    (cst.BaseNumber, _another_number),
    (cst.Name, mutators.operator_name),
    (cst.AugAssign, mutators.operator_augmented_assignment),
    (cst.UnaryOperation, mutators.operator_remove_unary_ops),
    (cst.Call, mutators.operator_symmetric_string_methods_swap),
    (cst.Call, _keyword_left_out),
    (cst.CSTNode, mutators.operator_keywords),
    (cst.CSTNode, mutators.operator_swap_op),
    (cst.Match, mutators.operator_match),
    (cst.IfExp, mutators.operator_if_exp),
    (cst.If, _either_way),
    (cst.Return, _none_returned),
]
# Keyword arguments that only refuse mistakes, and change nothing in correct code.
_PROMISES = ("strict", "frozen", "kw_only", "slots")
# Types, imports and decorators are not mutated.
_SKIPPED = (cst.Annotation, cst.Import, cst.ImportFrom, cst.Decorator)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A source file with one change.

    `function`: the lines of the changed function; `wrapped`: a decorator may call the function once for all tests.
    """

    path: Path
    line: int
    function: range
    wrapped: bool
    module: cst.Module
    node: cst.CSTNode
    mutated: cst.CSTNode

    def source(self) -> str | None:
        """Return the whole changed file; None if it is no valid Python any more."""
        changed = self.module.deep_replace(self.node, self.mutated)
        text = cst.ensure_type(changed, cst.Module).code
        try:
            ast.parse(text)
        except SyntaxError:
            return None
        return text

    def diff(self, source: str) -> str:
        lines = difflib.unified_diff(self.module.code.splitlines(), source.splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))


class _Places(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[tuple[int, range, bool, cst.CSTNode, cst.CSTNode]] = []
        self._functions: list[cst.FunctionDef] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _SKIPPED) or _is_promise(node):
            return False
        if isinstance(node, cst.FunctionDef):
            self._functions.append(node)
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                for mutated in operator(node):
                    self._add(node, mutated)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if self._functions and original_node is self._functions[-1]:
            self._functions.pop()

    def _add(self, node: cst.CSTNode, mutated: cst.CSTNode) -> None:
        position = self.get_metadata(PositionProvider, node, None)
        if position:
            wrapped = any(function.decorators for function in self._functions)
            around = self.get_metadata(PositionProvider, self._functions[-1] if self._functions else node)
            lines = range(around.start.line, around.end.line + 1)
            self.changes.append((position.start.line, lines, wrapped, node, mutated))


def _is_promise(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in _PROMISES


def mutants(path: Path) -> list[Mutant]:
    """Return every mutant of a file, in the order of lines."""
    places = _Places()
    module = MetadataWrapper(cst.parse_module(path.read_text()), unsafe_skip_copy=True).visit(places)
    return [
        Mutant(path, line, function, wrapped, module, node, mutated)
        for line, function, wrapped, node, mutated in places.changes
    ]
