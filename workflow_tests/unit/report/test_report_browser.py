"""The report in a browser: no errors, no sideways scrolling, readable colours, and a search that finds."""

import json
import shutil
import subprocess

import pytest
from report_world import make_run

from dpmia.report.report import report

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed (Debian: apt-get install chromium)")

#: Runs in the page and leaves what it found in the title.
PROBE = """
<script>
addEventListener("error", (event) => { document.title = JSON.stringify({error: event.message}); });
document.addEventListener("securitypolicyviolation", (event) => { console.error("refused " + event.blockedURI); });
const seen = () => [...document.querySelectorAll("[data-find]")].filter((item) => item.checkVisibility()).map((item) => item.id);
const parse = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => { const c = part / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; });
const light = (text) => { const [r, g, b] = parse(text); return .2126 * r + .7152 * g + .0722 * b; };
const ground = (item) => { for (; item; item = item.parentElement) { const c = getComputedStyle(item).backgroundColor; if (c !== "rgba(0, 0, 0, 0)") return c; } return "rgb(255, 255, 255)"; };
const contrast = (item) => { const [a, b] = [light(getComputedStyle(item).color), light(ground(item))].sort((x, y) => y - x); return (a + .05) / (b + .05); };
addEventListener("load", () => {
  const find = (words) => { const box = document.querySelector("#find"); box.value = words; box.dispatchEvent(new Event("input", {bubbles: true})); return seen(); };
  const result = {
    all: seen(),
    order: find("FIG7-order"), counted: document.querySelector(".found").textContent,
    theorem: find("thm"), nothing: find("no such words"), again: find(""),
    images: [...document.images].map((image) => image.naturalWidth),
    wider: document.documentElement.scrollWidth - innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    pale: [...document.querySelectorAll("p, td, th, dt, dd, a, h1, h2, h3, li, label, span, caption, code")]
      .filter((item) => item.textContent.trim() && item.checkVisibility() && contrast(item) < 4.5).map((item) => item.outerHTML.slice(0, 120)),
    cut: [...document.querySelectorAll(".badge, .downloads a, td > *")]
      .filter((item) => item.checkVisibility() && item.getBoundingClientRect().width + 1 < item.scrollWidth).length,
    plate: getComputedStyle(document.querySelector(".plate")).backgroundColor,
  };
  const box = document.querySelector("input[value=bad]");
  box.click();
  result.withoutBad = seen();
  document.title = JSON.stringify(result);
});
</script>
"""  # noqa: E501


@pytest.fixture(scope="module")
def probed(tmp_path_factory):
    """Return a function that opens the page in a frame of some width, in light or dark, and returns what it found."""
    folder = tmp_path_factory.mktemp("browser")
    html = report(*make_run(folder))
    # The page's own policy allows scripts that stand in it.
    (folder / "page.html").write_text(html.replace("</head>", PROBE + "</head>"), encoding="utf-8")

    def look(width, dark):
        frame = folder / f"frame-{width}.html"
        frame.write_text(
            f'<iframe src="page.html" style="width: {width}px; height: 900px; border: 0"></iframe><script>'
            "addEventListener('load', () => setTimeout(() => {"
            "document.body.dataset.found = document.querySelector('iframe').contentDocument.title }, 300))</script>"
        )
        response = subprocess.run(
            [
                *(BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
                *("--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND"),
                *("--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", "--window-size=1300,1000"),
                *(f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--allow-file-access-from-files"),
                *("--virtual-time-budget=5000", "--dump-dom", frame.as_uri()),
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        _, _, rest = response.stdout.partition('data-found="')
        reported = rest.partition('"')[0].replace("&quot;", '"').replace("&lt;", "<").replace("&amp;", "&")
        complaints = [line for line in response.stderr.splitlines() if "CONSOLE" in line]
        return json.loads(reported), complaints

    return look


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_in_a_browser(probed, width, dark):
    found, complaints = probed(width, dark)
    assert complaints == []
    assert found["dark"] is dark
    assert found["wider"] <= 0
    assert found["images"] == [160]
    assert found["plate"] == "rgb(255, 255, 255)"
    assert found["pale"] == []
    assert found["cut"] == 0
    cards = ["humphries_fig7", "humphries_fig8", "izzo_theory"]
    assert [name for name in found["all"] if name in cards] == cards
    assert len(found["all"]) == 7
    assert found["order"] == ["humphries_fig7", "humphries-fig7-order"]
    assert found["counted"] == "1 of 3 figures and tables, 1 of 4 claims"
    assert found["theorem"] == ["izzo_theory", "izzo-thm4", "izzo-thm7"]
    assert found["nothing"] == []
    assert found["again"] == found["all"]
    assert found["withoutBad"] == [name for name in found["all"] if name != "izzo-thm7"]
