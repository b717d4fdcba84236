
// The console: what changes the shape of a form is asked for in place, so that nothing scrolls away.
(() => {
  const form = document.querySelector("form.request");
  if (!form) return;
  const again = async (name, value, focus) => {
    const data = new FormData(form);
    data.set("do", value);
    form.classList.add("busy");
    try {
      const response = await fetch(form.action, { method: "POST", body: new URLSearchParams(data) });
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const made = page.querySelector("form.request");
      if (!made) { location.reload(); return; }
      form.replaceChildren(...made.childNodes);
      const place = focus && form.querySelector(`[name="${CSS.escape(focus)}"]`);
      if (place) place.focus();
    } finally {
      form.classList.remove("busy");
    }
  };
  form.addEventListener("change", (event) => {
    if (event.target.matches("input[data-again], select[data-again]")) again("do", "shape", event.target.name);
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-again]");
    if (!button) return;
    event.preventDefault();
    again("do", button.value, "");
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
