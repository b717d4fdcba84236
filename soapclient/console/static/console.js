// The script of the console: it loads parts of pages in place, and adds search, tabs, sorting and keys.
// Without it, every link, form and <details> works by itself. Nothing here knows what a request is.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const body = document.body, live = $("#live");
  body.classList.add("scripted");
  const make = (tag, properties = {}, ...inner) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...inner);
    return made;
  };
  const say = (text) => { live.textContent = text; };
  const kept = (name, value) => {
    try { return value === undefined ? localStorage.getItem(name) : localStorage.setItem(name, value); } catch { return null; }
  };

  // ---- light and dark: a cookie, so that the server writes it into the page and nothing flashes
  const root = document.documentElement, theme = $("#theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    document.cookie = `console-theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
    say(`${root.dataset.theme} colours`);
  });

  // ---- the operations: a filter over what is there; rows are read once
  const find = $("#find"), groups = $("#groups"), hits = $("#hits");
  let rows = null;
  const read = () => rows ??= $$("li", groups).map((row) => ({ row, link: $("a", row), name: $(".o", row), text: row.dataset.s, long: $(".o", row).textContent.length, kind: row.dataset.k, of: row.closest(".set") }));
  const mark = (one, word) => {
    const text = one.name.textContent, at = word ? text.toLowerCase().indexOf(word) : -1;
    if (at < 0) { if (one.marked) one.name.textContent = text; one.marked = false; return; }
    one.name.replaceChildren(text.slice(0, at), make("mark", { textContent: text.slice(at, at + word.length) }), text.slice(at + word.length));
    one.marked = true;
  };
  // The groups with the nearest names come first while somebody searches, and where they were afterwards.
  let order = null;
  const nearest = (word, near) => {
    order ??= $$(".service, .set", groups);
    if (!word) { if (groups.dataset.ranked) { groups.append(...order); delete groups.dataset.ranked; } return; }
    const services = [];
    for (const one of order) {
      if (one.matches(".service") || !services.length) services.push({ title: one.matches(".service") ? one : null, sets: [] });
      if (one.matches(".set")) services.at(-1).sets.push(one);
    }
    for (const one of services) {
      one.sets.sort((a, b) => (near.get(a) ?? 9) - (near.get(b) ?? 9));
      if (one.title) groups.append(one.title);
      groups.append(...one.sets);
    }
    groups.dataset.ranked = "1";
  };
  const filter = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean), only = $(".only :checked")?.value ?? "";
    const there = new Set(), near = new Map();
    let count = 0;
    for (const one of read()) {
      const kind = !only || (only === "write" ? !one.kind.startsWith("read") : one.kind.includes(only));
      const is = kind && words.every((word) => one.text.includes(word));
      if (one.row.hidden === is) one.row.hidden = !is;
      if (!is) continue;
      count += 1;
      there.add(one.of);
      if (words.length) {
        const at = one.text.indexOf(words[0]), rank = at === 0 ? 0 : at > 0 && at < one.long ? 1 : 2;
        near.set(one.of, Math.min(near.get(one.of) ?? 9, rank));
      }
      if (count < 200) mark(one, words[0]);
    }
    nearest(words[0], near);
    groups.scrollTop = 0;
    stop();
    for (const set of $$(".set", groups)) set.hidden = !there.has(set);
    for (const title of $$(".service", groups)) {
      let next = title.nextElementSibling, any = false;
      while (next && !next.matches(".service")) { any ||= !next.hidden; next = next.nextElementSibling; }
      title.hidden = !any;
    }
    hits.textContent = words.length || only ? `${count} of ${rows.length}` : "";
  };
  const links = () => $$(".set:not([hidden]) li:not([hidden]) a", groups);
  // One of the list is a stop of the tab key: that shown, else the first; the arrow keys reach the others.
  let stopped = null;
  const stop = (link = $(".set:not([hidden]) li:not([hidden]) a[aria-current]", groups) ?? $(".set:not([hidden]) li:not([hidden]) a", groups)) => {
    if (stopped) stopped.tabIndex = -1;
    else for (const one of read()) one.link.tabIndex = -1;
    stopped = link;
    if (link) link.tabIndex = 0;
  };
  if (find) {
    stop();
    groups.addEventListener("focusin", (event) => { if (event.target.matches(".set a")) stop(event.target); });
    $(".only").hidden = false;
    find.addEventListener("input", filter);
    $(".only").addEventListener("change", filter);
    find.form.addEventListener("submit", (event) => { event.preventDefault(); const first = links()[0]; if (first) { first.click(); $("#operation").dataset.focus = ""; } });
    $("#operations").addEventListener("keydown", (event) => {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (event.target.matches(".only input")) return;
      if (by) {
        event.preventDefault();
        const all = links(), at = all.indexOf(document.activeElement) + by;
        (at < 0 ? find : all[Math.min(at, all.length - 1)])?.focus();
      } else if (event.key === "Escape") {
        if (find.value) { find.value = ""; filter(); } else $("#operation").focus();
        if (event.target !== find) find.focus();
      } else if (event.target !== find && event.key.length === 1 && /\w/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) find.focus();
    });
    const here = $("[aria-current=page]", groups);
    const near = () => { if (here && matchMedia("(min-width: 760px)").matches) groups.scrollTop += here.getBoundingClientRect().top - groups.getBoundingClientRect().top - groups.clientHeight / 3; };
    requestAnimationFrame(() => { near(); requestAnimationFrame(near); });
  }

  // ---- pages in place: the same addresses, without the list of operations
  const part = async (address, options = {}) => {
    const response = await fetch(address, { ...options, headers: { "Console-Part": "1" } });
    return { page: new DOMParser().parseFromString(await response.text(), "text/html"), url: response.url };
  };
  const bring = (page, ids) => {
    for (const id of ids) {
      const made = page.getElementById(id), old = document.getElementById(id);
      if (made && old) { old.replaceWith(document.adoptNode(made)); dress(made); }
    }
  };
  const current = () => {
    for (const one of read()) {
      const is = one.link.pathname === decodeAction();
      if (is !== one.link.hasAttribute("aria-current")) is ? one.link.setAttribute("aria-current", "page") : one.link.removeAttribute("aria-current");
    }
    const title = $("#operation form .title")?.textContent;
    document.title = $("#title").textContent = title ? `${title} · soapclient console` : "soapclient console";
  };
  const decodeAction = () => { const form = $("form.request"); return form ? new URL(form.action).pathname : ""; };
  let asked = 0;
  const go = async (address, { options, push = true, view = "", ids = ["operation", "result", "history"] } = {}) => {
    const mine = asked += 1;
    body.classList.add("busy");
    $("#result")?.setAttribute("aria-busy", "true");
    try {
      const { page, url } = await part(address, options);
      if (mine !== asked) return false;
      if (!page.getElementById("operation")) {
        if (options?.method === "POST") throw new Error($("main p", page)?.textContent ?? "");
        location.assign(url);
        return false;
      }
      const enter = "focus" in ($("#operation")?.dataset ?? {});
      bring(page, ids);
      if (enter) $("#operation").focus();
      if (push && url !== location.href) { history.pushState(null, "", url); arrived(); }
      current();
      if (view) show(view);
    } catch (error) {
      if (mine !== asked) return false;
      const refused = error instanceof TypeError ? "" : error.message;
      const text = refused || "The console does not answer. It may have been stopped: start it again, then press Send.";
      say(text);
      const main = $("#operation .body");
      if (main && !$(".card.gone", main)) main.prepend(make("div", { className: "card bad gone", role: "alert" }, make("p", { textContent: text })));
    } finally {
      if (mine === asked) { body.classList.remove("busy"); $("#result")?.removeAttribute("aria-busy"); }
    }
    return mine === asked;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (link?.dataset.jump) {
      event.preventDefault();
      const field = $(`[data-path="${CSS.escape(link.dataset.jump)}"]`);
      for (let up = field; up; up = up.parentElement) if (up.matches("details")) up.open = true;
      $("input, select, textarea", field)?.focus();
      return;
    }
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.origin !== location.origin) return;
    if (link.hash && link.pathname === location.pathname) {
      if (link.closest(".phone")) { event.preventDefault(); show(link.hash.slice(1), true); }
      else if (/^#p-/.test(link.hash)) { event.preventDefault(); tab(link.hash.slice(1), true); }
      return;
    }
    if (!$("#operation") || !/^\/(try|history)\//.test(link.pathname)) return;
    event.preventDefault();
    go(link.href, { view: link.pathname.startsWith("/history") ? "result" : "operation" }).then(() => {
      if (link.closest("#operations")) say(`${link.textContent.trim()}`);
    });
  });
  // A jump inside the page, such as that to the content, is a step of the history, too: the form must stay.
  let at = location.pathname + location.search;
  const arrived = () => { at = location.pathname + location.search; };
  addEventListener("popstate", () => {
    if (at === location.pathname + location.search) return;
    arrived();
    go(location.href, { push: false });
  });

  // ---- the form: sent in place; what changes its shape is asked for; what is typed is checked as it stands
  let touched = new Set(), timer = 0;
  const posted = (form) => form.enctype === "multipart/form-data" ? new FormData(form) : new URLSearchParams(new FormData(form));
  const send = async (form, does, button = null) => {
    clearTimeout(timer);
    if (form.matches("form.request") && !["send", "check", "example"].includes(does)) { reshape(does); return; }
    if (form.dataset.sent) return;  // a second click must not send a second call
    const data = posted(form);
    if (button?.name.startsWith("v:")) data.set(button.name, button.value);
    data.set("do", does);
    const focused = place();
    touched = new Set();
    if (does === "send" && $(".pill")) { $(".pill").className = "pill idle"; $(".pill").textContent = "sending…"; }
    if (does === "send") form.dataset.sent = "1";
    const isShown = await go(form.action, { options: { method: "POST", body: data }, push: does === "send" });
    delete form.dataset.sent;
    if (!isShown) return;
    focused();
    if (does === "send") {
      const wrong = $("#operation [aria-invalid=true]");
      if (wrong || $("#operation .card.bad")) {
        const target = wrong ?? $("#operation .sure input");
        show("operation");
        (!target || target.matches("input, select, textarea") ? target : $("input", target))?.focus();
        say($("[data-problem]")?.textContent ?? "");
      } else { show("result"); tab(panel === "p-code" || panel === "p-security" ? "p-response" : panel); say(`${$(".pill")?.textContent.trim()}, ${$(".facts dd")?.textContent ?? ""}`); }
    }
  };
  // Changes of the form's shape are asked for one after another, each with the form as it is by then.
  let waiting = 0, turn = Promise.resolve();
  const reshape = (does) => {
    waiting += 1;
    body.classList.add("busy");
    turn = turn.then(() => shaped(does)).finally(() => {
      waiting -= 1;
      if (!waiting) body.classList.remove("busy");
    });
  };
  const shaped = async (does) => {
    const form = $("form.request"), sent = new FormData(form), data = posted(form);
    data.set("do", does);
    const answer = await part(form.action, { method: "POST", body: data }).catch(() => null);
    if (!answer?.page.getElementById("operation") || !form.isConnected) return;
    const now = new FormData(form), focused = place();
    bring(answer.page, ["operation"]);
    for (const name of new Set([...sent.keys(), ...now.keys()])) if (!name.startsWith("file:") && sent.get(name) !== now.get(name)) fill(name, now.get(name));
    focused();
  };
  // What was typed while the form was on its way.
  const fill = (name, value) => {
    for (const one of $$(`form.request [name="${CSS.escape(name)}"]`)) {
      if (one.matches("[type=checkbox], [type=radio]")) one.checked = one.value === (value ?? "");
      else one.value = value ?? "";
    }
  };
  const place = () => {
    const at = document.activeElement, top = $("#operation .body")?.scrollTop ?? 0;
    const name = at?.closest?.("form.request") ? at.name : "", value = at?.matches?.("button, [type=radio]") ? at.value : null;
    const start = at?.selectionStart, end = at?.selectionEnd;
    return () => {
      const to = $("#operation .body");
      if (to) to.scrollTop = top;
      if (!name) return;
      const all = $$(`form.request [name="${CSS.escape(name)}"]`), found = all.find((one) => value === null || one.value === value) ?? all[0];
      found?.focus({ preventScroll: true });
      if (typeof start === "number" && typeof found?.selectionStart === "number") found.setSelectionRange(start, end);
    };
  };
  const check = async (form) => {
    const data = posted(form);
    data.set("do", "check");
    const asking = form;
    const answer = await part(form.action, { method: "POST", body: data }).catch(() => null);
    if (!answer || !asking.isConnected) return;
    for (const made of $$("[data-error]", answer.page)) {
      const old = asking.querySelector(`[data-error="${CSS.escape(made.dataset.error)}"]`);
      if (!old) continue;
      const said = touched.has(made.dataset.error) ? [...made.childNodes].map((one) => document.importNode(one, true)) : [];
      old.replaceChildren(...said);
      const field = old.closest(".field, fieldset"), input = field?.matches(".field") ? $("[aria-describedby]", field) : null;
      field?.classList.toggle("wrong", said.length > 0);
      if (input) said.length ? input.setAttribute("aria-invalid", "true") : input.removeAttribute("aria-invalid");
    }
    for (const name of ["[data-lacking]", "[data-sum]"]) {
      const made = $(name, answer.page), old = $(name);
      if (made && old) { old.textContent = made.textContent; old.className = made.className; }
    }
    for (const id of $(".pill.idle") ? ["p-code", "p-wire"] : ["p-code"]) {
      const made = answer.page.getElementById(id), old = document.getElementById(id);
      if (!made || !old) continue;
      const open = old.hidden, top = old.scrollTop;
      old.replaceChildren(...made.childNodes);
      dress(old);
      old.hidden = open;
      old.scrollTop = top;
    }
  };
  document.addEventListener("submit", (event) => {
    const form = event.target, button = event.submitter;
    if (button?.hasAttribute("formaction")) return;
    if (form.matches("form.request, .turn, .again")) {
      event.preventDefault();
      send(form, button?.name === "do" ? button.value : "send", button);
    }
  });
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form.request");
    if (!form || !event.target.name || event.target.name === "message" || event.target.matches("[data-again]")) return;
    touched.add(event.target.name.replace(/^[a-z]+:/, ""));
    clearTimeout(timer);
    timer = setTimeout(() => check(form), 250);
  });
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form.request");
    if (form && event.target.matches("[data-again]")) send(form, "shape");
  });

  // ---- tabs, on the arrow keys; the same one stays when the operation changes
  let panel = kept("console-panel") || "p-response";
  const tab = (id, focus = false) => {
    if (!document.getElementById(id)) id = "p-response";
    panel = id;
    kept("console-panel", id);
    for (const one of $$("[data-tabs] [role=tab]")) {
      const is = one.getAttribute("aria-controls") === id;
      one.setAttribute("aria-selected", String(is));
      one.tabIndex = is ? 0 : -1;
      if (is && focus) one.focus();
    }
    for (const one of $$("[data-panel]")) one.hidden = one.id !== id;
  };
  const show = (view, focus = false) => {
    body.dataset.view = view;
    for (const one of $$(".phone a")) one.hash === `#${view}` ? one.setAttribute("aria-current", "true") : one.removeAttribute("aria-current");
    if (view === "history") $("#history > details").open = true;
    if (focus) { document.getElementById(view)?.focus(); scrollTo(0, 0); }
  };

  // ---- what a part gets when it comes: tabs, tools of panes, tables that sort, filters
  const tool = (text, does, more = {}) => {
    const made = make("button", { type: "button", className: "small", textContent: text, ...more });
    made.addEventListener("click", () => does(made));
    return made;
  };
  const pressed = (button, is) => button.setAttribute("aria-pressed", String(is));
  const copy = async (text, button) => {
    const was = button.textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; say("Copied"); } catch { button.textContent = "Not allowed"; }
    setTimeout(() => { button.textContent = was; }, 1500);
  };
  const csv = (table) => $$("tr", table).map((row) => [...row.cells].slice(1).map((cell) => `"${cell.textContent.replace(/[↕↑↓]/g, "").trim().replace(/^–$/, "").replaceAll('"', '""')}"`).join(",")).join("\r\n");
  const tools = {
    wrap: (holder) => { const made = tool("Wrap", (button) => { const is = holder.classList.toggle("wrapped"); kept("console-wrap", is ? "1" : ""); pressed(button, is); }); const is = kept("console-wrap") === "1"; holder.classList.toggle("wrapped", is); pressed(made, is); return made; },
    fold: (holder) => tool("Fold", (button) => { const inner = $$(".xml details details details", holder), is = inner.some((one) => one.open); for (const one of inner) one.open = !is; button.textContent = is ? "Unfold" : "Fold"; }),
    copy: (holder) => tool("Copy", (button) => copy($(":scope > .source", holder).textContent, button), { ariaLabel: `Copy ${$("h3, h4", holder)?.textContent ?? ""}` }),
    open: (holder) => tool("Open all", (button) => { const all = $$("details", holder), is = all.every((one) => one.open); for (const one of all) one.open = !is; button.textContent = is ? "Open all" : "Close all"; }),
    csv: (holder) => tool("Copy CSV", (button) => copy(csv($("table", holder)), button)),
    find: (holder) => {
      const input = make("input", { type: "search", placeholder: "Filter rows", ariaLabel: "Filter the response" });
      input.addEventListener("input", () => {
        const text = input.value.toLowerCase();
        for (const row of $$("tbody tr, .tree .leaf", holder)) row.hidden = !row.textContent.toLowerCase().includes(text);
      });
      return input;
    },
  };
  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, at) => {
      if (!at) return;
      const button = make("button", { type: "button" }, ...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = (row) => row.cells[at].textContent.trim(), number = (text) => text === "" || isNaN(text) ? null : Number(text);
        const sorted = [...table.tBodies[0].rows].sort((a, b) => {
          const x = key(a), y = key(b), n = number(x), m = number(y);
          return (n !== null && m !== null ? n - m : x.localeCompare(y)) * (up ? 1 : -1);
        });
        table.tBodies[0].append(...sorted);
      });
    });
  };
  const dress = (within) => {
    for (const place of $$("[data-tools]", within)) {
      const holder = place.closest("[data-copy], .two, [data-panel]");
      for (const name of place.dataset.tools.split(" ")) place.append(tools[name](holder));
      place.removeAttribute("data-tools");
    }
    for (const table of $$("table[data-sortable]", within)) sortable(table);
    for (const holder of $$("[data-views]", within)) {
      const place = $("[data-switch]", holder), names = place.dataset.switch.split(" ");
      place.setAttribute("role", "radiogroup");
      place.setAttribute("aria-label", "View");
      const choose = (name) => { for (const one of $$("[data-view]", holder)) one.hidden = one.dataset.view !== name; };
      for (const name of names) {
        const input = make("input", { type: "radio", name: "-view", value: name, checked: name === names[0] });
        input.addEventListener("change", () => choose(name));
        place.append(make("label", {}, input, make("span", { textContent: name[0].toUpperCase() + name.slice(1) })));
      }
      choose(names[0]);
    }
    const languages = $("[data-languages]", within);
    if (languages) {
      const panes = $$("[data-code]", languages.parentElement), names = ["All", ...panes.map((one) => one.dataset.code)];
      const choose = (name) => { for (const one of panes) one.hidden = name !== "All" && one.dataset.code !== name; };
      const last = kept("console-language"), now = names.includes(last) ? last : "All";
      languages.removeAttribute("data-languages");
      if (panes.length) {
        languages.setAttribute("role", "radiogroup");
        languages.setAttribute("aria-label", "Language");
        for (const name of names) {
          const input = make("input", { type: "radio", name: "-language", value: name, checked: name === now });
          input.addEventListener("change", () => { kept("console-language", name); choose(name); });
          languages.append(make("label", {}, input, make("span", { textContent: name })));
        }
        choose(now);
      }
    }
    const strip = within.matches?.("#result") || within === document ? $("[data-tabs]", within) : null;
    if (strip) {
      strip.closest("#result").classList.add("tabbed");
      strip.setAttribute("role", "tablist");
      strip.setAttribute("aria-label", "Result");
      for (const link of $$("a", strip)) {
        const id = link.hash.slice(1), button = make("button", { type: "button", id: `t-${id}` }, ...link.childNodes);
        button.setAttribute("role", "tab");
        button.setAttribute("aria-controls", id);
        button.addEventListener("click", () => tab(id));
        link.replaceWith(button);
        const of = document.getElementById(id);
        of.setAttribute("role", "tabpanel");
        of.setAttribute("aria-labelledby", `t-${id}`);
        of.tabIndex = 0;
      }
      strip.addEventListener("keydown", (event) => {
        const all = $$("[role=tab]", strip), at = all.indexOf(document.activeElement);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        tab(all[(to + all.length) % all.length].getAttribute("aria-controls"), true);
      });
      tab(panel);
    }
    for (const one of $$("#field-find, [data-fields], .logtools", within)) one.hidden = false;
    const fields = () => {
      const text = ($("#field-find")?.value ?? "").toLowerCase(), which = $("[data-fields] :checked")?.value ?? "all";
      for (const field of $$(".fields .field")) {
        const given = $$("input, select, textarea", field).some((one) => one.matches("[type=radio], [type=checkbox]") ? one.checked && one.value : one.value);
        field.hidden = !(field.dataset.field.includes(text) && (which === "all" || (which === "required" ? field.classList.contains("required") : given)));
      }
      const narrowed = text || which !== "all";
      for (const set of $$(".fields fieldset")) {
        const any = $(".field:not([hidden])", set);
        set.hidden = narrowed && !any;
        if (narrowed && any) for (const one of $$(":scope > details", set)) one.open = true;
      }
    };
    $("#field-find", within)?.addEventListener("input", fields);
    $("#field-find", within)?.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
    $("[data-fields]", within)?.addEventListener("change", fields);
    const log = () => {
      const text = ($("#log-find")?.value ?? "").toLowerCase(), which = $("[name='-log']:checked")?.value ?? "";
      for (const row of $$(".log tbody tr")) row.hidden = !(row.textContent.toLowerCase().includes(text) && (!which || (which === "bad" ? row.dataset.outcome === "bad" : "here" in row.dataset)));
    };
    $("#log-find", within)?.addEventListener("input", log);
    $(".logtools .few", within)?.addEventListener("change", log);
    if (within.matches?.("#history") && kept("console-history") === "1") $("details", within).open = true;
    const drawer = $("#history > details", within) ?? (within.matches?.("#history") ? $("details", within) : null);
    drawer?.addEventListener("toggle", () => kept("console-history", drawer.open ? "1" : ""));
  };
  dress(document);
  show(body.dataset.view);

  // ---- keys
  const help = $("#help"), keys = $("#keys");
  if (keys && help) { keys.hidden = false; keys.addEventListener("click", () => help.showModal()); }
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input:not([type=radio], [type=checkbox]), select, textarea, dialog");
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      const form = $("form.request");
      if (form) { event.preventDefault(); if (!event.repeat && !help?.open) send(form, "send"); }
    } else if (event.altKey && /^[1-5]$/.test(event.key)) {
      event.preventDefault();
      tab(["p-response", "p-wire", "p-code", "p-security", "p-timing"][event.key - 1], true);
    } else if (event.altKey && event.key.toLowerCase() === "h") {
      event.preventDefault();
      const drawer = $("#history > details");
      if (!drawer) return;
      drawer.open = !drawer.open;
      if (drawer.open) $("#log-find")?.focus();
    } else if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      show("operations");
      find?.focus();
      find?.select();
    } else if (event.key === "?" && !typing) help?.showModal();
  });

  // ---- the log of a sandbox and the export jobs, as they change: not while something in them is open
  const log = $("[data-watch]");
  if (log) setInterval(async () => {
    if (document.hidden || $("details[open]", log)) return;
    const answer = await part(log.dataset.watch).catch(() => null), made = answer && $("[data-watch]", answer.page);
    if (made) log.replaceChildren(...made.childNodes);
  }, 1500);
})();
