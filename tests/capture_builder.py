"""Lays cases of the corpus out as a capture would have written them, so that reading is tested without a compiler."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

RUN_PATH = "/home/someone/.cache/xpuasm/live/0"


def cache_key(seed: str) -> str:
    """A key as Triton makes them: a SHA-256 in base32."""
    return base64.b32encode(hashlib.sha256(seed.encode()).digest()).decode().rstrip("=")


class CaptureBuilder:
    """A capture folder that grows. `cases` are corpus paths, `<igc>/<device>/<case>`."""

    def __init__(self, folder: Path, corpus: Path, *, device: str = "pvc", real: bool = False, state: str = "finished"):
        self.folder = folder
        self.corpus = corpus
        self.record: dict[str, Any] = {
            "schema": 1,
            "created": "2026-11-30T12:00:00+00:00",
            "state": state,
            "exit_status": 0,
            "elapsed_s": 4.2,
            "command": ["python", "child.py", "child_config.json"],
            "run_path": RUN_PATH,
            "source": {"kind": "cell", "label": "In[5]", "path": "cell.py", "script": None, "args": []},
            "device": {"requested": "auto", "name": device, "card": "max1550", "ocloc": device, "real": real},
            "versions": {"xpuasm_magic": "0.1.0", "torch": "2.13.0+cpu", "triton_xpu": "3.3.0b1", "igc": "2.40.14"},
            "environment": {"set": {"IGC_ShaderDumpEnable": "1"}, "unset": []},
            "fidelity": ["launches are recorded, not executed"],
            "notes": [],
            "timings": {"child_s": 3.0, "total_s": 4.2},
        }
        for name in ("triton", "igc", "inductor"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / "cell.py").write_text("import triton\n", encoding="utf-8")
        self.write_record()

    def write_record(self, **changes: Any) -> None:
        self.record |= changes
        (self.folder / "capture.json").write_text(json.dumps(self.record), encoding="utf-8")

    def lines(self, name: str, *records: Mapping[str, Any]) -> None:
        """Append records to a `.jsonl` file."""
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)

    def variant(self, case: str, *, seed: str = "", record: bool = True, **fields: Any) -> str:
        """A compiled variant, with the Triton files of a case; returns its key."""
        source = self.corpus / case
        metadata = json.loads(next(source.glob("*_kernel.json")).read_text(encoding="utf-8"))
        key = cache_key(seed or case)
        entry = self.folder / "triton" / key
        entry.mkdir()
        for path in source.glob(f"{metadata['name']}.*"):
            if path.suffix in {".ttir", ".ttgir", ".llir", ".spv", ".json"}:
                shutil.copyfile(path, entry / path.name)
        (entry / f"__grp__{metadata['name']}.json").write_text('{"child_paths": {}}', encoding="utf-8")
        if record:
            line = {
                "t": 1.0,
                "key": key,
                "name": metadata["name"],
                "build_flags": metadata["build_flags"],
                "shared": metadata["shared"],
                "num_warps": metadata["num_warps"],
                "threads_per_warp": metadata["threads_per_warp"],
                "num_stages": metadata["num_stages"],
                "signature": {},
                "constants": {},
                "fn_file": f"{RUN_PATH}/cell.py",
                "fn_line": 1,
                "autotuned": False,
                "pid": 1,
            }
            self.lines("variants.jsonl", line | fields)
        return key

    def build(self, key: str, case: str, name: str = "pvc-default", **fields: Any) -> Path:
        """One build of a variant, with a case's dump and binary."""
        source = self.corpus / case
        folder = self.folder / "igc" / key / name
        shutil.copytree(source / "dump", folder / "dump")
        binary = next(source.glob("*.bin"), None)
        if binary:
            shutil.copyfile(binary, folder / "kernel.bin")
        shutil.copyfile(source / "ocloc.log", folder / "ocloc.log")
        record = {
            "key": key,
            "device": case.split("/")[1],
            "flags": "",
            "status": "ok" if binary else "crashed",
            "exit": 0 if binary else 134,
            "seconds": 0.4,
            "error": None if binary else "ocloc crashed (exit status 134)",
            "repro": "ocloc compile -file kernel.spv",
            "cached": False,
        }
        (folder / "build.json").write_text(json.dumps(record | fields), encoding="utf-8")
        return folder

    def decision(self, key: str, kept: str | None, rejected: Mapping[str, str] | None = None, **fields: Any) -> None:
        """`loader.json`: which build the loader keeps, and why not the others."""
        value = {
            "kept": kept,
            "rejected": [{"build": build, "reason": reason} for build, reason in (rejected or {}).items()],
            "rule": "more than 1,000 bytes of spill and no GRF flag",
            "note": None,
        }
        folder = self.folder / "igc" / key
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "loader.json").write_text(json.dumps(value | fields), encoding="utf-8")

    def kernel(self, case: str, *, seed: str = "", **fields: Any) -> str:
        """A variant with its one build; returns its key."""
        key = self.variant(case, seed=seed, **fields)
        self.build(key, case)
        self.decision(key, "pvc-default")
        return key
