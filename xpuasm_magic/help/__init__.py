"""Help for what the reader points at in a listing: opcodes, messages, and all that stands around them."""

from __future__ import annotations

from xpuasm_magic.help.entry import Help
from xpuasm_magic.help.explain import explain, explain_token, token_at, tokens

__all__ = ["Help", "explain", "explain_token", "token_at", "tokens"]
