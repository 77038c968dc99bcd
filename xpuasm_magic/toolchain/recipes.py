"""What to ask an archive for: one row per compiler generation and per distribution."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Recipe:
    """A set of packages that gives a toolchain, and the suites that may have it, best first."""

    name: str
    title: str
    packages: tuple[str, ...]
    compiler: str
    """The package whose version is IGC's."""
    ocloc: str
    """The package whose version is ocloc's."""
    suites: dict[str, tuple[str, ...]]
    """By distribution. An empty name stands for the machine's own suite."""


# Never needed to compile SPIR-V: the OpenCL C front end (with its clang), the OpenCL loader, the character
# sets of the C library, and packages that only hold documents.
LEFT_OUT = ("libigdfcl", "libopencl-clang", "libclang-cpp", "ocl-icd-", "libc-gconv-", "gcc-")

RECIPES = (
    Recipe(
        name="igc2",
        title="a current IGC 2.x",
        packages=("intel-ocloc", "libigc2"),
        compiler="libigc2",
        ocloc="intel-ocloc",
        suites={"debian": ("testing", "sid"), "ubuntu": ("", "devel")},
    ),
    Recipe(
        name="igc1",
        title="Debian 12's IGC 1.0",
        packages=("intel-opencl-icd", "libigc1"),
        compiler="libigc1",
        ocloc="intel-opencl-icd",
        suites={"debian": ("bookworm",)},
    ),
)

COMPONENTS = {"debian": ("main",), "ubuntu": ("main", "universe")}
