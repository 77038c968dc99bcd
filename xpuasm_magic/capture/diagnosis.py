"""Why a run compiled no kernel, in a sentence, from what the child counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
