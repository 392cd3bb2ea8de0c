"""The report in a browser: no errors, no sideways scrolling, readable colours, and what its script does."""

import pytest
from browser import BROWSER, NO_BROWSER, probe, serious_violations
from report_world import make_run

from dpmia.report.report import report

pytestmark = pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)

#: What all probes share.
SHARED = """
addEventListener("error", (event) => { document.title = JSON.stringify({error: event.message}); });
document.addEventListener("securitypolicyviolation", (event) => { console.error("refused " + event.blockedURI); });
const all = (which) => [...document.querySelectorAll(which)];
const openAll = () => all("details").forEach((item) => { item.open = true; });
const seen = () => all("[data-find]").filter((item) => item.checkVisibility()).map((item) => item.id);
"""

LOOKS = """
const parse = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => { const c = part / 255; return c <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4; });
const light = (text) => { const [r, g, b] = parse(text); return .2126 * r + .7152 * g + .0722 * b; };
const ground = (item) => { for (; item; item = item.parentElement) { const c = getComputedStyle(item).backgroundColor; if (c !== "rgba(0, 0, 0, 0)") return c; } return "rgb(255, 255, 255)"; };
const contrast = (item) => { const [a, b] = [light(getComputedStyle(item).color), light(ground(item))].sort((x, y) => y - x); return (a + .05) / (b + .05); };
addEventListener("load", () => {
  openAll();
  document.title = JSON.stringify({
    images: [...document.images].map((image) => image.naturalWidth),
    wider: document.documentElement.scrollWidth - innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    pale: all("p, td, th, dt, dd, a, h1, h2, h3, li, label, span, caption, code, button, summary, figcaption")
      .filter((item) => item.textContent.trim() && item.checkVisibility() && contrast(item) < 4.5).map((item) => item.outerHTML.slice(0, 120)),
    cut: all(".badge, .downloads a, .stack td > *")
      .filter((item) => item.checkVisibility() && item.getBoundingClientRect().width + 1 < item.scrollWidth).length,
    plate: getComputedStyle(document.querySelector(".plate")).backgroundColor,
  });
});
"""  # noqa: E501

FINDS = """
addEventListener("load", () => {
  const find = (words) => { const box = document.querySelector("#find"); box.value = words; box.dispatchEvent(new Event("input", {bubbles: true})); return seen(); };
  const result = { folded: seen() };
  document.querySelector("[data-all=open]").click();
  Object.assign(result, {
    all: seen(),
    order: find("FIG7-order"), counted: document.querySelector(".found").textContent,
    theorem: find("thm"), nothing: find("no such words"), again: find(""),
  });
  const box = document.querySelector("input[value=bad]");
  box.click();
  result.withoutBad = seen();
  box.click();
  document.querySelector("input[value=theory]").click();
  result.withoutTheory = seen();
  document.title = JSON.stringify(result);
});
"""  # noqa: E501

ACTS = """
addEventListener("load", async () => {
  const next = () => new Promise((go) => setTimeout(go, 50));
  const result = {};
  // A link to a claim that is folded and filtered out shows it.
  document.querySelector("input[value=theory]").click();
  location.hash = "#izzo-thm7";
  await next();
  result.linked = document.getElementById("izzo-thm7").checkVisibility();
  // A picture enlarges, closes, and gives the focus back.
  const enlarge = document.querySelector("button.zoom"), dialog = document.querySelector("dialog");
  enlarge.focus();
  enlarge.click();
  result.enlarged = [enlarge.getAttribute("aria-label"), dialog.open, dialog.querySelector("img").naturalWidth > 0, dialog.contains(document.activeElement)];
  dialog.querySelector("button").click();
  await next();
  result.closed = [dialog.open, document.activeElement === enlarge];
  // A table sorts by numbers, both ways; what is not there stays last or first.
  const table = all("table[data-sort]").find((item) => item.textContent.includes("a < b, c"));
  const first = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
  const head = table.tHead.rows[0].cells[1];
  result.sorted = [1, 2].map(() => { head.firstElementChild.click(); return [head.getAttribute("aria-sort"), first()]; });
  // Times and sizes sort by their units.
  result.units = [["2.4 h", "42 s", "3.3 min", "-"], ["3.2 GB", "812 bytes", "-", "41 kB"]].map((texts) => {
    const cells = [...table.tBodies[0].rows].map((row) => row.cells[1]);
    cells.forEach((cell, place) => { delete cell.dataset.value; cell.textContent = texts[place]; });
    head.firstElementChild.click();
    if (head.getAttribute("aria-sort") === "descending") head.firstElementChild.click();
    return [...table.tBodies[0].rows].map((row) => row.cells[1].textContent);
  });
  // A file that stands there compressed is saved as it was.
  const saved = new Promise((keep) => { URL.createObjectURL = (blob) => { keep(blob); return "data:,"; }; });
  document.querySelector("a[data-unpack='humphries_fig7.csv']").click();
  result.saved = await (await saved).text();
  // Claims are printed unfolded.
  all("details").forEach((item) => { item.open = false; });
  dispatchEvent(new Event("beforeprint"));
  result.printed = all("details.claims").every((item) => item.open);
  dispatchEvent(new Event("afterprint"));
  result.foldedAgain = all("details.claims").every((item) => !item.open);
  // The keyboard reaches all links and buttons, squares included.
  openAll();
  const reached = all("a[href], button, input, summary").filter((item) => item.checkVisibility());
  result.unreached = reached.filter((item) => item.tabIndex < 0).length;
  result.squares = all(".matrix a").map((item) => item.hash);
  document.title = JSON.stringify(result);
});
"""  # noqa: E501

CARDS = ["humphries_fig7", "humphries_fig8", "izzo_theory"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return report(*make_run(tmp_path_factory.mktemp("run")), "1a2b3c4d")


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_readable(page, tmp_path, width, dark):
    seen, complaints = probe(tmp_path, page, SHARED + LOOKS, width, dark)
    assert complaints == []
    assert seen["dark"] is dark
    assert seen["wider"] <= 0
    assert seen["images"] == [160]
    assert seen["plate"] == "rgb(255, 255, 255)"
    assert seen["pale"] == []
    assert seen["cut"] == 0


@pytest.mark.parametrize(
    ("width", "dark"),
    [pytest.param(390, False, id="phone, light"), pytest.param(1280, True, id="screen, dark", marks=pytest.mark.slow)],
)
def test_an_accessibility_checker_finds_nothing_serious(page, tmp_path, width, dark):
    assert serious_violations(tmp_path, page, width, dark) == []


@pytest.mark.slow
def test_the_accessibility_checker_would_find_it(page, tmp_path):
    violations = serious_violations(tmp_path, page.replace('<html lang="en">', "<html>"), 1280, False)
    assert [name for _, name, _ in violations] == ["html-has-lang"]


def test_readers_find_claims(page, tmp_path):
    seen, complaints = probe(tmp_path, page, SHARED + FINDS, 1280, False)
    assert complaints == []
    assert [name for name in seen["folded"] if name in CARDS] == CARDS
    claims = ["humphries-fig7-order", "humphries-fig8-acc", "izzo-thm4", "izzo-thm7"]
    assert set(claims).isdisjoint(seen["folded"])
    assert set(seen["all"]) == {*seen["folded"], *claims}
    assert seen["order"] == ["humphries_fig7", "humphries-fig7-order"]
    assert seen["counted"] == "1 of 3 figures and tables, 1 of 4 claims"
    assert seen["theorem"] == ["izzo_theory", "izzo-thm4", "izzo-thm7"]
    assert seen["nothing"] == []
    assert seen["again"] == seen["all"]
    assert seen["withoutBad"] == [name for name in seen["all"] if name != "izzo-thm7"]
    assert seen["withoutTheory"] == [name for name in seen["all"] if not name.startswith("izzo")]


def test_links_pictures_tables_and_files_work_by_mouse_and_keyboard(page, tmp_path):
    seen, complaints = probe(tmp_path, page, SHARED + ACTS, 1280, False)
    assert complaints == []
    assert seen["linked"]
    assert seen["enlarged"] == ["Enlarge Humphries et al., figure 7: students, members from one school", *[True] * 3]
    assert seen["closed"] == [False, True]
    assert seen["sorted"] == [
        ["ascending", ["most", "a < b, c", "many", "nothing"]],
        ["descending", ["nothing", "many", "a < b, c", "most"]],
    ]
    assert seen["units"] == [["42 s", "3.3 min", "2.4 h", "-"], ["812 bytes", "41 kB", "3.2 GB", "-"]]
    assert seen["saved"] == "epsilon,mean\n" + "1,0.5\n" * 100
    assert seen["printed"]
    assert seen["foldedAgain"]
    assert seen["unreached"] == 0
    assert seen["squares"] == ["#humphries-fig7-order", "#humphries-fig8-acc", "#izzo-thm4", "#izzo-thm7"]
