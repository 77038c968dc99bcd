from __future__ import annotations

import re
from collections import Counter

from xpuasm_magic.view.script import ENTRY, script
from xpuasm_magic.view.stylesheet import STATIC

_NAMED = re.compile(
    r"^(?:export )?(?:/\*\* @type.*?\*/ )?(?:export )?(?:async )?(?:function|const|let) (\w+)", re.MULTILINE
)
_IMPORTED = re.compile(r'^import \{ ([^}]*) \} from "\./([\w-]+\.js)";$', re.MULTILINE)


def test_every_module_is_joined_after_those_it_imports() -> None:
    text = script()
    assert not re.findall(r"^import|^export (?!default)", text, re.MULTILINE)
    start = {path.name: text.find(path.read_text(encoding="utf-8").splitlines()[1]) for path in STATIC.glob("*.js")}
    start.pop("types.js")  # types alone: nothing of it runs
    assert min(start.values()) >= 0
    assert max(start, key=start.__getitem__) == ENTRY
    for path in STATIC.glob("*.js"):
        for _, module in _IMPORTED.findall(path.read_text(encoding="utf-8")):
            assert start[module] < start[path.name], f"{module} comes after {path.name}"


def test_one_name_stands_for_one_thing_in_all_modules() -> None:
    many = [name for name, count in Counter(_NAMED.findall(script())).items() if count > 1]
    assert many == []


def test_a_module_imports_only_what_the_other_exports_and_what_it_uses() -> None:
    for path in STATIC.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        for names, module in _IMPORTED.findall(text):
            other = (STATIC / module).read_text(encoding="utf-8")
            for name in names.split(", "):
                assert re.search(rf"\bexport (?:async )?(?:function|const|let) {name}\b", other), f"{module}: {name}"
                assert len(re.findall(rf"\b{name}\b", text)) > 1, f"{path.name} does not use {name}"
