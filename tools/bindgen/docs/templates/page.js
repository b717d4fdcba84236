"use strict";
(() => {
  const root = document.documentElement;
  const input = document.getElementById("find");
  const panel = document.getElementById("found");
  const list = panel.querySelector("ul");
  const count = document.getElementById("hits");
  const theme = document.getElementById("theme");
  const overview = document.querySelector("[data-overview]")?.dataset.overview;
  const MOST = 60;
  const ORDER = ["operation", "type", "field", "column", "value"];

  // Letters and digits alone, so that `review_state` finds `reviewState`.
  const plain = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}@]/gu, "");

  // Of a contract that has several pages, its overview says what is on the others.
  const index = JSON.parse(document.getElementById("index")?.textContent ?? "[]");
  const elsewhere = () => index.flatMap(([page, title, inner]) => inner.map(([id, kind, name]) => {
    const end = /^op\..*?\.(request|response)\./.exec(id)?.[1];
    const within = end ? `${title} ${end}` : title;
    return { at: `${page}#${id}`, name, kind, within, key: plain(name), order: ORDER.indexOf(kind) };
  }));

  let entries;
  const collect = () => {
    entries ??= elsewhere().concat(Array.from(document.querySelectorAll("[data-k][id]"), (place) => {
      const name = place.querySelector(".n").textContent;
      const kind = place.dataset.k;
      let within = "";
      if (kind !== "operation" && kind !== "type") {
        within = place.closest("section").querySelector("h3 .n").textContent;
        const end = kind === "field" && place.parentElement.previousElementSibling;
        const heading = end && (end.matches("h4") ? end : end.previousElementSibling);
        if (heading && heading.matches("h4[id]")) within += " " + heading.firstChild.textContent.trim().toLowerCase();
      }
      const at = place.dataset.at ?? "#" + place.id;
      return { at, name, kind, within, key: plain(name), order: ORDER.indexOf(kind) };
    }));
    return entries;
  };

  const rank = (entry, wanted) => {
    const at = entry.key.indexOf(wanted);
    if (at < 0) return -1;
    if (entry.key === wanted) return 0;
    return at === 0 ? 1 : 2;
  };

  const search = () => {
    const wanted = plain(input.value);
    list.replaceChildren();
    panel.hidden = wanted === "";
    if (panel.hidden) return;
    const hits = [];
    for (const entry of collect()) {
      const worth = rank(entry, wanted);
      if (worth >= 0) hits.push([worth, entry]);
    }
    hits.sort(([a, x], [b, y]) => a - b || x.order - y.order || x.name.length - y.name.length);
    count.textContent =
      hits.length === 0 ? "Nothing found" :
      hits.length > MOST ? `${hits.length} found, the first ${MOST} are shown` : `${hits.length} found`;
    for (const [, entry] of hits.slice(0, MOST)) {
      const link = document.createElement("a");
      link.href = entry.at;
      const name = document.createElement("code");
      name.textContent = entry.name;
      const where = document.createElement("span");
      where.textContent = entry.within ? `${entry.kind} in ${entry.within}` : entry.kind;
      link.append(name, " ", where);
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
    if (overview) {
      const link = document.createElement("a");
      link.href = `${overview}#find=${encodeURIComponent(input.value)}`;
      link.textContent = "Search the whole contract";
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
    }
  };

  const close = () => { panel.hidden = true; };
  const links = () => Array.from(list.querySelectorAll("a"));
  const step = (by) => {
    const all = links();
    const at = all.indexOf(document.activeElement) + by;
    if (at < 0) input.focus();
    else all[Math.min(at, all.length - 1)]?.focus();
  };

  const box = input.closest(".find");
  box.hidden = false;
  input.addEventListener("input", search);
  input.addEventListener("focus", () => { if (input.value) search(); });
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" && document.activeElement === input) links()[0]?.click();
    else if (event.key === "Escape") { input.value = ""; close(); input.focus(); }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link) return;
    close();
    const place = document.getElementById(link.hash.slice(1));
    const inner = place?.querySelector("a.self");
    // Where one reads on, one goes on by keyboard, too.
    requestAnimationFrame(() => inner?.focus({ preventScroll: true }));
  });
  document.addEventListener("click", (event) => { if (!box.contains(event.target)) close(); });
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest?.("input, textarea, select");
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
      input.select();
    }
  });
  if (!document.querySelector("[data-k]")) box.hidden = true;

  // Addresses of what is on another page by now, and searches that began on one.
  const arrive = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (wanted.startsWith("find=")) {
      input.value = wanted.slice(5);
      input.focus();
      search();
      return;
    }
    const steps = wanted.split(".");
    for (let count = steps.length; count > 0; count -= 1) {
      const at = document.getElementById(steps.slice(0, count).join("."))?.dataset.at;
      if (at) {
        location.replace(`${at}#${wanted}`);
        return;
      }
    }
  };
  if (index.length) {
    addEventListener("hashchange", arrive);
    arrive();
  }

  // What the reader chose stays, where the browser lets a page keep anything.
  const dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => { theme.textContent = dark() ? "Light" : "Dark"; };
  const kept = (value) => {
    try {
      if (value) localStorage.setItem("reference-theme", value);
      return localStorage.getItem("reference-theme");
    } catch {
      return null;
    }
  };
  const before = kept();
  if (before === "light" || before === "dark") root.dataset.theme = before;
  label();
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    kept(root.dataset.theme);
    label();
  });

  const menu = document.querySelector("nav details");
  const wide = matchMedia("(min-width: 64rem)");
  const unfold = () => { menu.open = wide.matches; };
  wide.addEventListener("change", unfold);
  unfold();
  menu.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wide.matches) menu.open = false;
  });

  for (const block of document.querySelectorAll(".block")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      navigator.clipboard?.writeText(block.querySelector("pre").textContent).then(
        () => { button.textContent = "Copied"; },
        () => { button.textContent = "Not allowed"; },
      );
    });
    block.append(button);
  }

  addEventListener("beforeprint", () => {
    for (const one of document.querySelectorAll("main details")) one.open = true;
  });
})();
