"""`make bench`: speed as ratios within one run. Exit status 1 when a target is missed."""

from __future__ import annotations

from benchmarks import browser, capture_speed, diff, import_speed, join_speed, mix, pressure, recompile
from benchmarks.result import Result

BENCHES = (
    import_speed.measure,
    join_speed.measure,
    browser.measure,
    capture_speed.measure,
    recompile.measure,
    diff.measure,
    mix.measure,
    pressure.measure,
)


def main() -> int:
    missed = 0
    for bench in BENCHES:
        results: list[Result] = bench()
        for result in results:
            print(result, flush=True)
            missed += not result.met
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
