"""One measured figure against its target."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    what: str
    measured: float
    target: float
    unit: str
    detail: str = ""

    @property
    def met(self) -> bool:
        return self.measured <= self.target

    def __str__(self) -> str:
        verdict = "ok    " if self.met else "MISSED"
        target = f"(target ≤ {self.target:g}{self.unit})"
        return f"{verdict} {self.what}: {self.measured:.2f}{self.unit} {target} {self.detail}"
