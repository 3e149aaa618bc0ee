// Searches the pages by all words that were typed; works from a folder, without a server.
"use strict";
(() => {
  const field = document.getElementById("search");
  const found = document.getElementById("found");
  const top = document.body.dataset.top;
  const most = 40;
  const pages = CLPROBE_PAGES.map(([title, kind, path, more]) => (
    { title, kind, path, head: title.toLowerCase(), text: `${title} ${kind} ${more}`.toLowerCase() }
  ));

  // What the title starts with comes first, then what it holds, then the rest.
  function weight(page, words) {
    return words.reduce((sum, word) => sum +
      (page.head.startsWith(word) ? 4 : page.head.includes(` ${word}`) ? 3
        : page.head.includes(word) ? 2 : 0), page.head.length < 24 ? 0.5 : 0);
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    found.replaceChildren();
    found.hidden = words.length === 0;
    const hits = pages.filter((page) => words.every((word) => page.text.includes(word)))
      .sort((one, other) => weight(other, words) - weight(one, words));
    for (const page of hits.slice(0, most)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = top + page.path;
      link.textContent = page.title;
      const kind = document.createElement("span");
      kind.className = "kind";
      kind.textContent = page.kind;
      item.append(link, " ", kind);
      found.append(item);
    }
    if (words.length && hits.length !== Math.min(hits.length, most)) {
      found.append(Object.assign(document.createElement("li"), {
        textContent: `and ${hits.length - most} more`,
      }));
    }
    if (words.length && !hits.length) {
      found.append(Object.assign(document.createElement("li"), {
        textContent: "Nothing of that name; on the machine itself, clprobe doctor knows more.",
      }));
    }
  }

  field.addEventListener("input", show);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = found.querySelector("a");
    if (first) window.location.href = first.href;
  });
  const asked = new URLSearchParams(window.location.search).get("q");
  if (asked) { field.value = asked; show(); }
})();
