"""The errors a user can meet. A leaf module, so that every layer can raise them."""

from __future__ import annotations


class XpuasmError(Exception):
    """Base: the message says what, where and what to do next, and is all that the user is shown."""


class UsageError(XpuasmError):
    """The user's own slip: an unknown option value, a path that does not exist."""


class ParseError(XpuasmError):
    """A file of a capture is damaged. The reader turns it into a `Note`; it costs that file's view only."""


class SetupError(XpuasmError):
    """Something that a capture needs is missing or could not be installed."""
