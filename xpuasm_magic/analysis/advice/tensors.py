"""TTIR -> its operations, and how far apart neighbours of each tensor are, as far as the text proves it.

TTIR is Triton's IR before layouts: one operation a line, operands defined above their uses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xpuasm_magic.model import Line, SourceLoc

# %42 = tt.addptr %arg11, %cst_0 : tensor<128x32x!tt.ptr<f16>>, tensor<128x32xi32> loc(#loc26)
# %9 = "tt.reduce"(%8) <{axis = 0 : i32}> ({
# tt.store %37, %38 : tensor<128x128x!tt.ptr<f16>> loc(#loc32)
_OPERATION = re.compile(
    r'[ \t]*(?:%(?P<result>[\w$.-]+)(?::(?P<count>\d+))? = )?"?(?P<name>[a-z_]+\.[\w.]+)"?(?P<rest>.*)'
)
_VALUE = re.compile(r"%(?P<name>[\w$.#-]+)")
# tensor<128x32x!tt.ptr<f16>>     tensor<2048xf32>
_TENSOR = re.compile(r"tensor<(?P<shape>(?:\d+x)+)(?P<element>!tt\.ptr<(?P<pointee>\w+)[^>]*>|[\w.!<>]+?)>")
# dense<32> : tensor<128x32xi32>     32 : i32
_CONSTANT = re.compile(r"[ ](?:dense<(?P<dense>-?\d+)>|(?P<plain>-?\d+)) : ")
# %arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("/src/kernels.py":21:0), …
_POINTER_ARGUMENT = re.compile(
    r"%(?P<name>\w+): !tt\.ptr<\w+[^>]*>(?: \{[^}]*tt\.divisibility = (?P<divisibility>\d+)[^}]*\})?"
)
_AXIS = re.compile(r"axis = (?P<axis>\d+)")
# iter_args(%arg10 = %cst, %arg11 = %18)
_ITER_ARGS = re.compile(r"iter_args\((?P<pairs>[^)]*)\)")
_PAIR = re.compile(r"%(?P<argument>[\w$.-]+) = %(?P<start>[\w$.#-]+)")

_PASSES = ("arith.extsi", "arith.extui", "arith.trunci", "tt.broadcast", "tt.bitcast", "arith.index_cast")

_KEEP_BASE = ("tt.addptr", "tt.splat", "tt.broadcast", "tt.expand_dims", "scf.for")
_PASS_COUNT = 4
_LOOPS = ("scf.for", "scf.while")

Strides = tuple[int | None, ...]
"""Of each dimension, elements from one to the next; None: not known."""


@dataclass(frozen=True)
class Operation:
    """One operation of TTIR. `shape` and `element` are of its result; of a load or a store, of its pointers."""

    name: str
    operands: tuple[str, ...]
    loc: SourceLoc | None
    shape: tuple[int, ...] = ()
    element: str = ""
    """`f32`, `i64`; of pointers, what they point to."""
    strides: Strides = ()
    """Of the result; of a load or a store, of its addresses, in elements."""
    constant: int | None = None
    of_pointers: bool = False
    """Whether the tensor is one of pointers, and not a block pointer or a tensor of numbers."""
    in_loop: bool = False

    @property
    def elements(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Tensors:
    """The operations in order, and those that define a value by its name."""

    operations: tuple[Operation, ...] = ()
    defined: Mapping[str, Operation] = field(default_factory=dict)
    unaligned: frozenset[str] = frozenset()
    """Pointers among the kernel's arguments that are not known to be multiples of 16 bytes."""

    def named(self, *names: str) -> tuple[Operation, ...]:
        return tuple(operation for operation in self.operations if operation.name in names)

    def base_of(self, access: Operation) -> str | None:
        """The kernel's argument that a load's or a store's addresses are offsets from; None: not known."""
        seen: set[str] = set()
        step = access
        while step.operands:
            at = step.operands[0]
            if at in seen or at not in self.defined:
                return at if at not in seen else None
            seen.add(at)
            step = self.defined[at]
            if step.name not in _KEEP_BASE:
                return None
        return None


def read_tensors(lines: Sequence[Line]) -> Tensors:
    """Read a TTIR listing. A value that a loop carries has strides only if every iteration keeps them.

    They are assumed, and read again without those that turned out to change; in the last pass nothing is assumed.
    """
    changing: set[str] = set()
    for left in reversed(range(_PASS_COUNT)):
        reader = _Reader(changing if left else None)
        for line in lines:
            reader.read(line)
        if reader.broken <= changing:
            break
        changing |= reader.broken
    return Tensors(tuple(reader.operations), reader.defined, _unaligned(lines))


def _unaligned(lines: Sequence[Line]) -> frozenset[str]:
    kernels = [line.text for line in lines if line.text.lstrip().startswith("tt.func public")]
    arguments = _POINTER_ARGUMENT.finditer(kernels[0]) if len(kernels) == 1 else ()
    return frozenset(found["name"] for found in arguments if int(found["divisibility"] or 1) % 16)


class _Reader:
    """One pass, in which the strides of `changing`, of all that loops carry where it is None, are not known."""

    def __init__(self, changing: set[str] | None) -> None:
        self.operations: list[Operation] = []
        self.defined: dict[str, Operation] = {}
        self.broken: set[str] = set()
        """Values that loops carry, and whose strides an iteration changes."""
        self._changing = changing
        self._regions: list[tuple[str, tuple[str, ...], str | None]] = []
        """Of each open region its operation, what a loop carries and the name of its results."""

    def read(self, line: Line) -> None:
        text = line.text
        stripped = text.strip()
        if stripped.startswith("}") and self._regions:
            _, carried, result = self._regions.pop()
            self._close(carried, result)
        found = _OPERATION.match(text)
        carried = ()
        if found:
            rest = found["rest"].partition(" loc(")[0]
            if found["name"] == "scf.for":
                carried = self._carry(rest)
            elif found["name"] == "scf.yield" and self._regions:
                self._yield(self._regions[-1][1], tuple(_VALUE.findall(rest)))
            self._operation(found["name"], found["result"], rest, line.loc)
        if stripped.endswith(("{", "({")):
            self._regions.append((found["name"] if found else "", carried, found["result"] if found else None))

    def _operation(self, name: str, result: str | None, rest: str, loc: SourceLoc | None) -> None:
        values, _, types = rest.rpartition(" : ")
        operands = tuple(_VALUE.findall(values))
        tensor = _TENSOR.search(types.rpartition("->")[2])
        shape = tuple(int(size) for size in tensor["shape"].split("x")[:-1]) if tensor else ()
        element = (tensor["pointee"] or tensor["element"]) if tensor else types.rpartition("->")[2].strip()
        constant = self._constant(name, rest, operands)
        operation = Operation(
            name,
            operands,
            loc,
            shape,
            element,
            self._strides(name, operands, rest, shape, constant),
            constant,
            bool(tensor and tensor["pointee"]),
            any(around in _LOOPS for around, _, _ in self._regions),
        )
        self.operations.append(operation)
        if result is not None:
            self.defined[result] = operation

    def _constant(self, name: str, rest: str, operands: Sequence[str]) -> int | None:
        if name == "arith.constant":
            found = _CONSTANT.search(f"{rest} ")
            return int(found["dense"] or found["plain"]) if found else None
        if name in ("tt.splat", *_PASSES) and operands and operands[0] in self.defined:
            return self.defined[operands[0]].constant
        return None

    def _strides(
        self, name: str, operands: Sequence[str], rest: str, shape: tuple[int, ...], constant: int | None
    ) -> Strides:
        unknown: Strides = (None,) * len(shape)
        if name in ("arith.constant", "tt.splat"):
            return (0,) * len(shape) if name == "tt.splat" or constant is not None else unknown
        if name == "tt.make_range":
            return (1,) * len(shape)
        known = [self.defined[value] for value in operands if value in self.defined]
        if len(known) != len(operands) or not known:
            return unknown
        first = known[0].strides
        if name in ("tt.load", "tt.store"):
            return first if len(first) == len(shape) else unknown
        if name == "tt.expand_dims" and (axis := _AXIS.search(rest)):
            place = int(axis["axis"])
            return (*first[:place], 0, *first[place:])
        if name in _PASSES:
            if len(first) != len(shape):
                return unknown
            return tuple(0 if size == 1 else stride for stride, size in zip(first, known[0].shape, strict=True))
        if len(known) != 2 or not len(first) == len(known[1].strides) == len(shape):
            return unknown
        pairs = list(zip(first, known[1].strides, strict=True))
        if name in ("arith.addi", "tt.addptr"):
            return tuple(None if a is None or b is None else a + b for a, b in pairs)
        if name == "arith.subi":
            return tuple(None if a is None or b is None else a - b for a, b in pairs)
        if name in ("arith.muli", "arith.shli"):
            return _scaled(name, known[0], known[1])
        return tuple(0 if a == b == 0 else None for a, b in pairs) if name.startswith("arith.") else unknown

    def _carry(self, rest: str) -> tuple[str, ...]:
        """What a loop carries starts as what is given for it."""
        found = _ITER_ARGS.search(rest)
        pairs = _PAIR.findall(found["pairs"]) if found else []
        for argument, start in pairs:
            begun = self.defined.get(start)
            if begun is not None:
                strides = (
                    (None,) * len(begun.shape)
                    if self._changing is None or argument in self._changing
                    else begun.strides
                )
                self.defined[argument] = Operation(
                    "scf.for",
                    (start,),
                    begun.loc,
                    begun.shape,
                    begun.element,
                    strides,
                    of_pointers=begun.of_pointers,
                    in_loop=True,
                )
        return tuple(argument for argument, _ in pairs)

    def _yield(self, carried: Sequence[str], values: Sequence[str]) -> None:
        for argument, value in zip(carried, values, strict=False):
            before, after = self.defined.get(argument), self.defined.get(value)
            if before and (after is None or after.strides != before.strides):
                self.broken.add(argument)

    def _close(self, carried: tuple[str, ...], result: str | None) -> None:
        if result is None or not carried:
            return
        for place, argument in enumerate(carried):
            if argument in self.defined:
                self.defined[f"{result}#{place}"] = self.defined[argument]
        if len(carried) == 1 and carried[0] in self.defined:
            self.defined[result] = self.defined[carried[0]]


def _scaled(name: str, left: Operation, right: Operation) -> Strides:
    """Multiplied by a constant, or by something that is equal for all elements but not known."""
    if name == "arith.muli" and right.constant is None and left.constant is not None:
        left, right = right, left
    factor = right.constant
    if factor is not None and name == "arith.shli":
        factor = 1 << factor if 0 <= factor < 64 else None
    scaled: list[int | None] = []
    for stride, other in zip(left.strides, right.strides, strict=True):
        if stride == other == 0:
            scaled.append(0)
        elif stride is not None and other == 0 and factor is not None:
            scaled.append(stride * factor)
        else:
            scaled.append(None)
    return tuple(scaled)
