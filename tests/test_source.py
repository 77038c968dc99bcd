"""Cells -> the file that the child runs."""

from __future__ import annotations

import ast

import pytest

from xpuasm_magic.capture.source import (
    cells_defining,
    from_cell,
    from_cells,
    parse_cell_numbers,
    python_only,
)
from xpuasm_magic.errors import UsageError


def test_a_plain_cell_is_kept_byte_for_byte():
    text = 'x = """\n    %not a magic\n!nor this\n"""\ny = 7 % 3\nz = x if y != 1 else None\r\n'
    source = from_cell(text, "In[4]", first_line=2)
    assert source.text == text
    assert source.notes == ()
    assert [(s.line, s.label, s.start) for s in source.segments] == [(1, "In[4]", 2)]


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("%matplotlib inline\nx = 1\n", "\nx = 1\n"),
        ("!ls -l\nx = 1\n", "\nx = 1\n"),
        ("files = !ls\nx = 1\n", "\nx = 1\n"),
        ("t = %timeit -o 1\nx = 1\n", "\nx = 1\n"),
        ("print?\nx = 1\n", "\nx = 1\n"),
        ("?print\nx = 1", "\nx = 1"),
        ("if True:\n    !ls\n    x = 1\n", "if True:\n    pass\n    x = 1\n"),
        ("for i in range(3):\n    %time f()\n", "for i in range(3):\n    pass\n"),
        ("!echo a \\\n  b\nx = 1\n", "\n\nx = 1\n"),
        ("%%time\nx = 1\n", "\nx = 1\n"),
        ("%%xpu_asm --device bmg\nx = 1\n", "\nx = 1\n"),
    ],
)
def test_lines_only_ipython_understands_are_blanked_where_they_stand(cell, kept):
    text, notes = python_only(cell, "In[1]")
    assert text == kept
    assert text.count("\n") == cell.count("\n")
    ast.parse(text)
    assert bool(notes) == (not cell.startswith("%%xpu_asm"))


def test_each_line_left_out_is_named():
    _, notes = python_only("x = 1\n!pip list\n", "In[3]")
    assert notes == ["In[3]:2: `!pip list` was left out (only IPython understands it)"]


def test_lines_are_counted_with_the_magic_above_them():
    source = from_cell("x = 1\n!ls\n", "In[4]", first_line=2)
    assert source.notes == ("In[4]:3: `!ls` was left out (only IPython understands it)",)


def test_a_cell_in_another_language_is_left_out_whole():
    text, notes = python_only("%%bash\nrm -rf x\n", "In[2]")
    assert text == "\n\n"
    assert notes == ["In[2] was left out: a %%bash cell is not Python"]


def test_a_syntax_error_of_the_users_stays_for_python_to_say():
    text, _ = python_only("def f(:\n  x = % 3\n", "In[1]")
    assert text == "def f(:\n  x = % 3\n"


def test_earlier_cells_come_first_and_lines_map_back():
    source = from_cells([(3, "a = 1"), (5, "%%xpu_asm\nb = 2\n")], "c = a + b\n", "In[7]", first_line=2)
    assert source.text == "a = 1\n\nb = 2\nc = a + b\n"
    spans = [(s.line, s.count, s.label, s.start) for s in source.segments]
    assert spans == [(1, 1, "In[3]", 1), (2, 2, "In[5]", 1), (4, 1, "In[7]", 2)]


def test_cell_numbers():
    assert parse_cell_numbers("3-5,7") == [3, 4, 5, 7]
    assert parse_cell_numbers("2, 2-3") == [2, 3]


@pytest.mark.parametrize("spec", ["", "x", "5-3", "1-", "-2", "1;2"])
def test_cell_numbers_that_cannot_be_meant(spec):
    with pytest.raises(UsageError, match="--cells"):
        parse_cell_numbers(spec)


def test_the_cell_that_defines_a_name_is_found_last_first():
    cells = {
        1: "import torch as t",
        2: "model = 1",
        3: "def model(): pass",
        4: "print(model)",
        5: "for i, (a, b) in []: pass\nwith open('x') as f: pass",
        6: "%%xpu_asm\nhidden = 1",
        7: "def g():\n    local = 1",
        8: "broken(",
    }
    assert cells_defining("model", cells) == [3, 2]
    assert cells_defining("t", cells) == [1]
    assert cells_defining("b", cells) == [5]
    assert cells_defining("f", cells) == [5]
    assert cells_defining("hidden", cells) == [6]
    assert cells_defining("local", cells) == []
