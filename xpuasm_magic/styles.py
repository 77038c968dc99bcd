"""Pygments styles for GPU listings, light and dark: one palette in two tones, each colour WCAG AA."""

from __future__ import annotations

from typing import ClassVar

from pygments.style import Style
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Token,
    Whitespace,
    _TokenType,
)

__all__ = ["ListingDark", "ListingLight"]


class ListingLight(Style):
    """For white and nearly white grounds."""

    name = "xpuasm-light"
    background_color = "#ffffff"
    highlight_color = "#fff3c4"
    styles: ClassVar[dict[_TokenType, str]] = {
        Token: "#1f2328",
        Whitespace: "",
        Text: "#1f2328",
        Comment: "#626a73",
        Comment.Special: "italic #3a6a3c",  # quoted source lines
        Comment.Preproc: "#6b5b95",
        Comment.PreprocFile: "#5c6670",
        Keyword: "#0b4fb3",
        Keyword.Reserved: "bold #a4161a",  # branches
        Keyword.Pseudo: "#6b5b95",
        Keyword.Type: "#5c6670",
        Keyword.Constant: "#0b4fb3",
        Name: "#1f2328",
        Name.Attribute: "#0f6674",
        Name.Builtin: "#0b4fb3",
        Name.Builtin.Pseudo: "#5c6670",
        Name.Class: "#8a3ffc",
        Name.Constant: "#5c6670",
        Name.Decorator: "#8a4600",  # predicates
        Name.Entity: "#8b2e8b",  # scoreboard and distances
        Name.Exception: "bold #b42318",  # spills and fills
        Name.Function: "#0f6674",
        Name.Function.Magic: "bold #6d28d9",  # dpas
        Name.Label: "bold #7a4100",
        Name.Namespace: "#0f6674",
        Name.Tag: "#5c6670",  # execution size
        Name.Variable: "#1f2328",
        Name.Variable.Global: "#8a4600",
        Number: "#9a3412",
        Operator: "#3b4148",
        Operator.Word: "#8a4600",
        Punctuation: "#5c6670",
        Punctuation.Marker: "#5c6670",  # regions
        String: "#2f6b33",
        String.Other: "#3f6a78",  # what a message does
        String.Symbol: "#6a737d",
    }


class ListingDark(Style):
    """For black and nearly black grounds."""

    name = "xpuasm-dark"
    background_color = "#111111"
    highlight_color = "#3a3413"
    styles: ClassVar[dict[_TokenType, str]] = {
        Token: "#e2e6ea",
        Whitespace: "",
        Text: "#e2e6ea",
        Comment: "#939ba4",
        Comment.Special: "italic #8fc191",
        Comment.Preproc: "#b3a5dd",
        Comment.PreprocFile: "#9aa4ad",
        Keyword: "#7cb7ff",
        Keyword.Reserved: "bold #ff8f88",
        Keyword.Pseudo: "#b3a5dd",
        Keyword.Type: "#9aa4ad",
        Keyword.Constant: "#7cb7ff",
        Name: "#e2e6ea",
        Name.Attribute: "#5fc9d8",
        Name.Builtin: "#7cb7ff",
        Name.Builtin.Pseudo: "#9aa4ad",
        Name.Class: "#c4a5ff",
        Name.Constant: "#9aa4ad",
        Name.Decorator: "#e8b069",
        Name.Entity: "#dc9be0",
        Name.Exception: "bold #ff8f88",
        Name.Function: "#5fc9d8",
        Name.Function.Magic: "bold #c4a5ff",
        Name.Label: "bold #f0bf7d",
        Name.Namespace: "#5fc9d8",
        Name.Tag: "#9aa4ad",
        Name.Variable: "#e2e6ea",
        Name.Variable.Global: "#e8b069",
        Number: "#ffab84",
        Operator: "#c3c9cf",
        Operator.Word: "#e8b069",
        Punctuation: "#9aa4ad",
        Punctuation.Marker: "#9aa4ad",
        String: "#93c795",
        String.Other: "#8fb8c6",
        String.Symbol: "#8f98a1",
    }
