"""A notebook's view of a capture with no notebook server: a page's messages go to a real `Browser` in this process."""

from __future__ import annotations

import base64
from typing import Any

from playwright.sync_api import Page

from xpuasm_magic.view.script import script
from xpuasm_magic.view.stylesheet import stylesheet
from xpuasm_magic.view.widget import Browser

# Of anywidget's model what the front end uses.
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>bridge</title><style>{style}</style></head>
<body style="margin:0;background:{ground}"><div id="out"></div><script type="module">{script}
const state = {{ _static_id: "" }};
for (const name of ["_payload", "_selected", "_all_configs"]) state[name] = await window.xpuasmState(name);
const listeners = new Map();
const tell = (event, ...told) => {{ for (const act of listeners.get(event) ?? []) act(...told); }};
const bridge = (window.bridge = {{
  live: true,
  // A test puts its own here: until when an answer is held back; "lost": for ever. At first the kinds in `lose` are.
  held: async ({{ kind }}) => (window.lose?.[0] === kind ? (lose.shift(), "lost") : null),
  progress: (message) => tell("msg:custom", {{ type: "progress", ...message }}, []),
  async update() {{
    state._payload = await window.xpuasmState("_payload");
    tell("change:_payload");
  }},
}});
const model = {{
  get: (name) => state[name],
  set: (name, value) => {{ state[name] = value; }},
  save_changes() {{}},
  on: (event, act) => listeners.set(event, [...(listeners.get(event) ?? []), act]),
  off: (event, act) => listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== act)),
  async send(message) {{
    if (await bridge.held(message) === "lost") return;
    const [content, packed] = await window.xpuasmSend(message);
    const buffers = packed.map((text) => new DataView(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer));
    tell("msg:custom", content, buffers);
  }},
}};
show(await notebookHost(model, () => bridge.live), document.getElementById("out"));
</script></body></html>"""


def open_browser(page: Page, browser: Browser, *, dark: bool = False) -> Page:
    """Shows what a cell with `%%xpu_asm` would show of the browser's capture."""

    def send(message: dict[str, Any]) -> list[Any]:
        sent: list[Any] = []
        browser.send = lambda content, buffers=None: sent.append((content, buffers or []))
        browser.take(message, [])
        ((content, buffers),) = sent
        return [content, [base64.b64encode(part).decode() for part in buffers]]

    page.expose_function("xpuasmState", lambda name: getattr(browser, name))
    page.expose_function("xpuasmSend", send)
    text = _PAGE.format(style=stylesheet(), script=script(), ground="#111418" if dark else "#ffffff")
    page.route("http://xpuasm.test/", lambda route: route.fulfill(body=text, content_type="text/html"))
    page.goto("http://xpuasm.test/")
    page.wait_for_selector("tr.xa-kernel")
    return page
