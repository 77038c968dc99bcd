#!/bin/sh
# A Chromium for the browser tests: the one that is here, else the distribution's, else Playwright's own.
set -eu
python=$1
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
"$python" - <<'PY' && exit 0
import pathlib, sys
from playwright.sync_api import sync_playwright
with sync_playwright() as p:
    sys.exit(not pathlib.Path(p.chromium.executable_path).exists())
PY
sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
if command -v apt-get >/dev/null 2>&1 && $sudo true 2>/dev/null; then
    echo "xpuasm: the browser tests need a Chromium; as root: apt-get install chromium (about 300 MB)" >&2
    $sudo apt-get -qq update >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq install -y --no-install-recommends chromium >/dev/null && exit 0
fi
echo "xpuasm: the browser tests need a Chromium; fetching Playwright's" >&2
exec "$python" -m playwright install chromium
