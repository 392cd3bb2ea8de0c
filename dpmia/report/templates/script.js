"use strict";
(() => {
  // On small screens the table of contents waits to be opened.
  const contents = document.querySelector(".contents details");
  if (matchMedia("(max-width: 64rem)").matches) contents.open = false;
  contents.addEventListener("click", (event) => {
    if (event.target.matches("a") && matchMedia("(max-width: 64rem)").matches) contents.open = false;
  });

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
    copy.querySelectorAll("[data-find], .downloads").forEach((part) => part.remove());
    return `${copy.textContent} ${item.id}`.toLowerCase();
  };
  const things = outer.map((item) => ({
    item, words: own(item),
    parts: [...item.querySelectorAll("[data-find]")].map((part) => ({ item: part, words: own(part), kind: part.dataset.kind })),
  }));
  const update = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const off = new Set(choices.filter((choice) => !choice.checked).map((choice) => choice.value));
    const matches = (words) => wanted.every((word) => words.includes(word));
    let shown = 0, shownParts = 0, parts = 0;
    for (const thing of things) {
      const whole = matches(thing.words);
      let any = 0;
      for (const part of thing.parts) {
        const seen = !off.has(part.kind) && (whole || matches(`${thing.words} ${part.words}`));
        part.item.hidden = !seen;
        any += seen;
      }
      thing.item.hidden = !(any || (whole && (!off.size || !thing.parts.length)));
      thing.item.querySelectorAll("[data-holds]").forEach((holder) => {
        holder.hidden = !holder.querySelector("[data-find]:not([hidden])");
      });
      shown += !thing.item.hidden;
      shownParts += any;
      parts += thing.parts.length;
    }
    const all = !wanted.length && !off.size;
    form.querySelector(".found").textContent = all ? "" :
      `${shown} of ${things.length} ${form.dataset.things || "shown"}` + (parts ? `, ${shownParts} of ${parts} ${form.dataset.parts || ""}` : "");
    document.querySelectorAll("[data-group]").forEach((group) => {
      group.hidden = !all && !group.querySelector("[data-find]:not([hidden])");
    });
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
})();
