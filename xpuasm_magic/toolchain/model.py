"""A toolchain: one ocloc and the IGC that it drives."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xpuasm_magic.errors import SetupError
from xpuasm_magic.toolchain.compile import CompileResult, run_ocloc


@dataclass(frozen=True)
class Toolchain:
    """An ocloc that can be run, and the versions of what it is made of."""

    name: str
    """Its folder's name, e.g. `igc-2.40.14`; `system` for the one on PATH."""
    ocloc: Path
    command: tuple[str, ...]
    """What to type before ocloc's own arguments (the prefix's loader and library path, then ocloc)."""
    igc: str
    version: str
    """ocloc's."""
    origin: str = ""
    """Where it came from, e.g. `Debian testing`, `PATH`."""

    @property
    def generation(self) -> int:
        """1 or 2: the two generations of IGC differ in their dump's files and in what they know."""
        return 1 if self.igc.startswith("1.") else 2

    def compile_command(self, spv: Path, out_dir: Path, device: str, flags: str = "") -> list[str]:
        """Builds `spv` for `device` into `out_dir`; understood by ocloc 22.43 and by the current ones."""
        # `-o` is unknown to 22.43, and without `--format zebin` it writes the older patchtoken format
        words = [*self.command, "compile", "-file", str(spv.absolute()), "-spirv_input", "-device", device]
        words += ["-out_dir", str(out_dir.absolute()), "-output", "kernel", "-output_no_suffix"]
        words += ["--format", "zebin"]
        return [*words, "-options", flags] if flags.strip() else words

    def compile(
        self,
        spv: Path,
        out: Path,
        device: str,
        flags: str = "",
        timeout_s: float = 600.0,
        *,
        env: Mapping[str, str] | None = None,
        keep_passes: bool = False,
        cancel: threading.Event | None = None,
    ) -> CompileResult:
        """Builds SPIR-V into `out`: kernel.bin (the zebin), ocloc.log, dump/. A failure is a result too.

        Args:
            spv: the module.
            out: the build's own folder: IGC names its files by the module alone, so two builds would mix.
            device: as ocloc spells it, e.g. `pvc`.
            flags: the module's own build flags, e.g. `-cl-intel-256-GRF-per-thread`.
            timeout_s: then the build is killed.
            env: IGC's switches for this build; those of the user's environment do not leak in.
            keep_passes: keep the LLVM IR after each of IGC's passes (much disk).
            cancel: once set, the build is killed and its result is `interrupted`.
        """
        out = out.absolute()
        command = self.compile_command(spv, out, device, flags)
        return run_ocloc(command, out, timeout_s=timeout_s, env=env, keep_passes=keep_passes, cancel=cancel)

    def device_extensions(self, device: str) -> frozenset[str]:
        """The OpenCL extensions that the compiler knows a device to have (ocloc 23 and later)."""
        with tempfile.TemporaryDirectory(prefix="xpuasm-") as folder:
            query = [*self.command, "query", "CL_DEVICE_EXTENSIONS", "-device", device]
            done = subprocess.run(query, cwd=folder, capture_output=True, text=True, check=False)
            answer = Path(folder, "CL_DEVICE_EXTENSIONS")
            extensions = answer.read_text(encoding="utf-8").split() if answer.is_file() else []
            if not extensions:  # for an unknown device ocloc ends well all the same
                words = " ".join((done.stdout + done.stderr).split()) or f"exit status {done.returncode}"
                raise SetupError(f"{self.name} does not tell the extensions of {device!r}: {words}")
            return frozenset(extensions)
