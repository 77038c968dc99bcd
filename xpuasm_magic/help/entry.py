"""What is said of one token of a listing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Help:
    """Plain text throughout: a page shows it with `textContent`."""

    title: str
    text: str
    operands: str
    pitfall: str
    source: str
    """A public document, by title and section."""


IGA = "Intel Graphics Compiler, IGA: instruction model and formatter (visa/iga/IGALibrary)"
IGA_MESSAGES = "Intel Graphics Compiler, IGA: message decoders (visa/iga/IGALibrary/IR/Messages)"
VISA_OPERANDS = "vISA specification (Intel Graphics Compiler, documentation/visa), chapter Operands"
VISA_LSC = "vISA specification (Intel Graphics Compiler, documentation/visa), LSC_UNTYPED"
VISA_FENCE = "vISA specification (Intel Graphics Compiler, documentation/visa), LSC_FENCE"
PRM_ISA = "Intel open-source Programmer's Reference Manual (Arc A-series), Volume 9: Render Engine, EU ISA"
