"use strict";
(() => {
  // On small screens the table of contents waits to be opened.
  const contents = document.querySelector(".contents details");
  if (matchMedia("(max-width: 64rem)").matches) contents.open = false;
  contents.addEventListener("click", (event) => {
    if (event.target.matches("a") && matchMedia("(max-width: 64rem)").matches) contents.open = false;
  });

  // What a link leads to is opened, and shown again where it was filtered out; what is printed is opened, too.
  let showAll = () => {};
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) showAll();
    for (let item = target; item; item = item.parentElement) if (item.matches("details")) item.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  const opened = [];
  addEventListener("beforeprint", () => {
    opened.push(...document.querySelectorAll("details[data-print]:not([open])"));
    opened.forEach((item) => { item.open = true; });
  });
  addEventListener("afterprint", () => { opened.splice(0).forEach((item) => { item.open = false; }); });

  // Pictures enlarge, by mouse and keyboard.
  const dialog = document.querySelector("dialog.zoomed");
  for (const image of document.querySelectorAll("img[data-zoom]")) {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "zoom", textContent: "Enlarge" });
    button.setAttribute("aria-label", `Enlarge ${image.dataset.zoom}`);
    const enlarge = () => {
      dialog.querySelector("h2").textContent = image.dataset.zoom;
      const full = Object.assign(document.createElement("img"), { src: image.src, alt: image.alt });
      dialog.querySelector(".zoomed-body").replaceChildren(full);
      dialog.showModal();
    };
    button.addEventListener("click", enlarge);
    image.addEventListener("click", enlarge);
    image.closest(".plate").after(button);
  }
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  // Files that stand here compressed are saved as they were.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-unpack]");
    if (!link || !("DecompressionStream" in window)) return;
    event.preventDefault();
    const packed = Uint8Array.from(atob(link.href.slice(link.href.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
    const file = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();
    const save = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: link.dataset.unpack });
    save.click();
    setTimeout(() => URL.revokeObjectURL(save.href), 10000);
  });

  // Columns sort: numbers by value, with the units of times and sizes; all else by letters.
  const units = { s: 1, min: 60, h: 3600, bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9 };
  const value = (row, place) => {
    const text = (row.cells[place].dataset.value || row.cells[place].textContent).trim();
    const plain = text.replace(/[\s<]|,(?=\d{3})/g, "").replace("∞", "Infinity");
    const number = plain.match(/^([−-]?(?:Infinity|[\d.]+(?:e[+-]?\d+)?))([a-zA-Z]*)/);
    return number ? [0, Number(number[1].replace("−", "-")) * (units[number[2]] || 1), ""] : [text === "{{ missing }}" || !text ? 2 : 1, 0, text];
  };
  for (const table of document.querySelectorAll("table[data-sort]")) {
    [...table.tHead.rows[0].cells].forEach((head, place, heads) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...table.tBodies[0].rows].map((row) => [value(row, place), row]);
        rows.sort(([a], [b]) => (a[0] - b[0] || a[1] - b[1] || a[2].localeCompare(b[2])) * (down ? -1 : 1));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    });
  }

  // Find: hides what does not hold all of the words, or is of a kind that was switched off. Things to find may hold
  // others: one is shown with all it holds where it matches itself, and with those that match where only they do.
  const form = document.querySelector("[data-finder]");
  if (!form) return;
  form.hidden = false;
  const box = form.querySelector("input[type=search]");
  const choices = [...form.querySelectorAll("input[type=checkbox]")];
  const outer = [...document.querySelectorAll("[data-find]")].filter((item) => !item.parentElement.closest("[data-find]"));
  const own = (item) => {
    const copy = item.cloneNode(true);
    copy.querySelectorAll("[data-find], .downloads, .cite").forEach((part) => part.remove());
    return `${copy.textContent} ${item.id}`.toLowerCase();
  };
  const things = outer.map((item) => ({
    item, words: own(item),
    parts: [...item.querySelectorAll("[data-find]")].map((part) => ({ item: part, words: own(part) })),
  }));
  const update = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = choices.filter((choice) => !choice.checked);
    const matches = (words) => wanted.every((word) => words.includes(word));
    let shown = 0, shownParts = 0, parts = 0;
    for (const thing of things) {
      const whole = matches(thing.words);
      let any = 0;
      for (const part of thing.parts) {
        const of = part.item.dataset;
        const seen = !off.some((choice) => of[choice.name] === choice.value) && (whole || matches(`${thing.words} ${part.words}`));
        part.item.hidden = !seen;
        any += seen;
      }
      thing.item.hidden = !(any || (whole && (!off.length || !thing.parts.length)));
      thing.item.querySelectorAll("[data-holds]").forEach((holder) => {
        holder.hidden = !holder.querySelector("[data-find]:not([hidden])");
        if (any && (off.length || (wanted.length && !whole))) holder.open = true;
      });
      shown += !thing.item.hidden;
      shownParts += any;
      parts += thing.parts.length;
    }
    const all = !wanted.length && !off.length;
    form.querySelector(".found").textContent = all ? "" :
      `${shown} of ${things.length} ${form.dataset.things || "shown"}` + (parts ? `, ${shownParts} of ${parts} ${form.dataset.parts || ""}` : "");
    document.querySelectorAll("[data-group]").forEach((group) => {
      group.hidden = !all && !group.querySelector("[data-find]:not([hidden])");
    });
  };
  showAll = () => {
    box.value = "";
    choices.forEach((choice) => { choice.checked = true; });
    update();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  form.querySelectorAll("[data-all]").forEach((button) => button.addEventListener("click", () => {
    document.querySelectorAll("details[data-holds]").forEach((item) => { item.open = button.dataset.all === "open"; });
  }));
})();
