"""Where the pair of compilers here differs from the one that ships, and so from a user's."""

from __future__ import annotations

from xpuasm_magic.offline.pairs import SHIPS_WITH
from xpuasm_magic.offline.pairs import release as release_of


def pairing_sentence(torch: str | None, triton_xpu: str | None) -> str | None:
    """How the installed pair differs from the one that ships; None where it does not, or is not known.

    Args:
        torch: version of PyTorch, e.g. `2.13.0+cpu`.
        triton_xpu: version of the triton-xpu distribution.
    """
    if not torch or not triton_xpu:
        return None
    release = release_of(torch)
    shipped = SHIPS_WITH.get(release)
    if shipped is None:
        return f"It is not known here which triton-xpu ships with torch {release}; these kernels are of {triton_xpu}."
    if triton_xpu == shipped:
        return None
    return (
        f"torch {release} ships with triton-xpu {shipped}; these kernels were compiled by {triton_xpu}, "
        "whose code can differ."
    )
