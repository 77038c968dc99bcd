"""The front end's one script: the modules of `static/`, joined for pages that can fetch nothing."""

from __future__ import annotations

import base64
import gzip
import json
import re
from functools import cache

from xpuasm_magic.view.stylesheet import STATIC, stylesheet

ENTRY = "widget.js"

# import { h, visible } from "./dom.js";
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<module>[\w-]+\.js)";\n', re.MULTILINE)
# export function show(…     export const ROW = …
_EXPORT = re.compile(
    r"^(?P<type>/\*\* @type \{[^\n]*\} \*/ )?export (?=(?:async )?function |const |let )", re.MULTILINE
)

# A line `// …`, a block `/** … */` on lines of its own
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/[ \t]*|//[^\n]*)\n", re.MULTILINE | re.DOTALL)

_UNPACK = """\
const packed = Uint8Array.from(atob("{packed}"), (character) => character.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const {{ script, style }} = await new Response(unpacked).json();
const url = URL.createObjectURL(new Blob([script], {{ type: "text/javascript" }}));
const module = await import(url);
URL.revokeObjectURL(url);
export default {{ render: ({{ model, el }}) => module.default.render({{ model, el, style }}) }};
"""


@cache
def script() -> str:
    """All modules in one, each after those that it imports. Their names are one scope: a test keeps them apart."""
    joined: dict[str, str] = {}

    def add(module: str) -> None:
        if module in joined:
            return
        text = (STATIC / module).read_text(encoding="utf-8")
        for found in _IMPORT.finditer(text):
            add(found["module"])
        joined[module] = _EXPORT.sub(lambda found: found["type"] or "", _IMPORT.sub("", text))

    add(ENTRY)
    return "\n".join(joined.values())


@cache
def packed_script() -> str:
    """A module that unpacks `script` and the style sheet: each widget of a saved notebook carries its own."""
    whole = json.dumps({"script": _COMMENT.sub("", script()), "style": stylesheet()}, ensure_ascii=False)
    packed = gzip.compress(whole.encode(), compresslevel=9, mtime=0)
    return _UNPACK.format(packed=base64.b64encode(packed).decode())
