"""Pages in a browser: what a probe finds in them, and what an accessibility checker (axe-core) complains about."""

from __future__ import annotations

import json
import shutil
import subprocess
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

NO_BROWSER = "no Chromium is installed (Debian: apt-get install chromium)"

#: Frames a page at some width, and waits until a probe in it has left what it found in the title.
FRAME = """<iframe src="{page}" style="width: {width}px; height: 900px; border: 0"></iframe><script>
const poll = () => {{
  const {{ title }} = document.querySelector("iframe").contentDocument;
  if (title.startsWith("{{")) document.body.dataset.found = title; else setTimeout(poll, 50);
}};
addEventListener("load", poll);
</script>"""

#: Opens all that is folded, and checks by the rules of WCAG 2 A and AA, and by best practices.
AXE = """addEventListener("load", async () => {
  document.querySelectorAll("details").forEach((item) => { item.open = true; });
  document.documentElement.style.scrollBehavior = "auto";
  const {violations} = await axe.run({resultTypes: ["violations"]});
  document.title = JSON.stringify({violations: violations.map((each) =>
    [each.impact, each.id, each.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))])});
});"""


def probe(folder: Path, html: str, script: str, width: int, dark: bool) -> tuple[dict[str, Any], list[str]]:
    """Open a page in a frame of some width, in light or dark.

    Args:
        folder: for files of the browser.
        html: the page.
        script: runs in the page and leaves what it found in the title, as JSON.
        width: of the frame, in pixels.
        dark: whether the reader prefers dark pages.

    Returns:
        What it found, and the complaints of the browser.
    """
    page, frame = folder / "page.html", folder / "frame.html"
    # The page's own policy allows scripts that stand in it.
    page.write_text(html.replace("</head>", f"<script>{script}</script></head>", 1), encoding="utf-8")
    frame.write_text(FRAME.format(page=page.name, width=width), encoding="utf-8")
    response = _run(
        [
            *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *("--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"),
            *("--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", "--window-size=1300,1000"),
            *(f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--allow-file-access-from-files"),
            *("--virtual-time-budget=20000", "--dump-dom", frame.as_uri()),
        ]
    )
    _, _, rest = response.stdout.partition('data-found="')
    reported = rest.partition('"')[0]
    for sign, character in (("&quot;", '"'), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        reported = reported.replace(sign, character)
    return json.loads(reported), [line for line in response.stderr.splitlines() if "CONSOLE" in line]


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the browser; once more where it hangs, as its virtual time now and then stands still on a busy machine."""
    run = partial(subprocess.run, command, capture_output=True, text=True, timeout=120, check=True)
    try:
        return run()
    except subprocess.TimeoutExpired:
        return run()


def serious_violations(folder: Path, html: str, width: int, dark: bool) -> list[Any]:
    """Return what axe-core finds of impact serious or critical, with the first places of each."""
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    seen, _ = probe(folder, html, f"{axe}</script><script>{AXE}", width, dark)
    return [violation for violation in seen["violations"] if violation[0] in ("serious", "critical")]
