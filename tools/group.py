"""Print a dependency group of pyproject.toml, one requirement per line (pip before 25.1 cannot read them)."""

import re
import sys
from pathlib import Path

text = Path(__file__).parent.parent.joinpath("pyproject.toml").read_text(encoding="utf-8")
groups = text.split("[dependency-groups]", 1)[1].split("\n[", 1)[0]
body = re.search(rf"^{sys.argv[1]} = \[(.*?)^\]", groups, re.M | re.S)
if not body:
    sys.exit(f"no dependency group {sys.argv[1]!r}")
print("\n".join(re.findall(r'^\s*"([^"]+)"', body[1], re.M)))
