
// The console: what changes the shape of a form is asked for in place, so that nothing scrolls away.
(() => {
  const form = document.querySelector("form.request");
  if (!form) return;
  // One after another, each with the form as it is by then: a second press counts from the first one's outcome.
  let waiting = 0, turn = Promise.resolve();
  const again = (does) => {
    waiting += 1;
    form.classList.add("busy");
    turn = turn.then(() => ask(does)).finally(() => {
      waiting -= 1;
      if (!waiting) form.classList.remove("busy");
    });
  };
  const ask = async (does) => {
    const sent = new FormData(form), data = new URLSearchParams(sent);
    data.set("do", does);
    const response = await fetch(form.action, { method: "POST", body: data }).catch(() => null);
    if (!response) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const made = page.querySelector("form.request");
    if (!made) { location.reload(); return; }
    const now = new FormData(form), focused = place();
    form.replaceChildren(...made.childNodes);
    for (const name of new Set([...sent.keys(), ...now.keys()])) {
      if (sent.get(name) !== now.get(name)) set(name, now.get(name));
    }
    focused();
  };
  // What was filled in while the answer was on its way.
  const set = (name, value) => {
    for (const one of form.querySelectorAll(`[name="${CSS.escape(name)}"]`)) {
      if (one.matches("[type=checkbox], [type=radio]")) one.checked = one.value === value;
      else one.value = value ?? "";
    }
  };
  // Where somebody is, to be there again.
  const place = () => {
    const at = document.activeElement;
    if (!form.contains(at) || !at.name) return () => {};
    const value = at.matches("button, [type=radio]") ? `[value="${CSS.escape(at.value)}"]` : "";
    const { selectionStart: start, selectionEnd: end } = at;
    return () => {
      const found = form.querySelector(`[name="${CSS.escape(at.name)}"]${value}`);
      if (!found) return;
      found.focus({ preventScroll: true });
      if (typeof start === "number") found.setSelectionRange(start, end);
    };
  };
  form.addEventListener("change", (event) => {
    if (event.target.matches("input[data-again], select[data-again]")) again("shape");
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-again]");
    if (!button) return;
    event.preventDefault();
    again(button.value);
  });
})();

// The log of a sandbox, as it grows: not while something in it is open.
(() => {
  const log = document.querySelector("[data-watch]");
  if (!log) return;
  setInterval(async () => {
    if (document.hidden || log.querySelector("details[open]")) return;
    const response = await fetch(log.dataset.watch).catch(() => null);
    if (!response || !response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const made = page.querySelector("[data-watch]");
    if (made) log.replaceChildren(...made.childNodes);
  }, 1500);
})();
