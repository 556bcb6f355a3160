// The list of the queue. A click on a row, J and K choose one incident; a box adds one or takes it out. What is chosen goes to the
// page as the state `chosen`. The rows come escaped from the page (incident_list.py).

const mounted = new WeakMap();
const typing = (target) => target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable="true"], [role="listbox"], dialog');

function mount(root, send) {
  let ids = [], chosen = [], html = "", from = 0, sent = 0;
  const rows = () => [...root.querySelectorAll("tbody tr")];
  const mark = (scroll) => {
    for (const row of rows()) {
      const here = chosen.includes(row.dataset.id);
      row.toggleAttribute("data-chosen", here);
      row.setAttribute("aria-current", here ? "true" : "false");
      row.querySelector("input").checked = here;
    }
    root.querySelector("thead input").checked = ids.length > 0 && ids.every((id) => chosen.includes(id));
    const row = rows().find((each) => each.dataset.id === chosen[0]);
    if (!scroll || !row) return;
    const head = root.querySelector("thead").offsetHeight;
    if (row.offsetTop - head < root.scrollTop) root.scrollTop = row.offsetTop - head;
    else if (row.offsetTop + row.offsetHeight > root.scrollTop + root.clientHeight) root.scrollTop = row.offsetTop + row.offsetHeight - root.clientHeight;
  };
  const choose = (now, scroll) => {
    chosen = now;
    mark(scroll);
    sent += 1;
    send({ ids: chosen, sent });
  };
  root.addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (!row) return;
    const box = event.target.closest("input");
    if (!row.dataset.id) {
      if (box) choose(box.checked ? ids : ids.slice(0, 1));
    } else if (box) {
      choose(ids.filter((id) => (id === row.dataset.id ? box.checked : chosen.includes(id))));
    } else {
      choose([row.dataset.id]);
      // On a phone the incident is below the list.
      if (innerWidth <= 700) document.querySelector(".st-key-incident")?.scrollIntoView({ behavior: "smooth", block: "start" });
    }
  });
  const step = (event) => {
    if (!root.isConnected) return document.removeEventListener("keydown", step);
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
    const key = event.key.toLowerCase(), inside = root.contains(event.target);
    const by = key === "j" || (inside && key === "arrowdown") ? 1 : key === "k" || (inside && key === "arrowup") ? -1 : 0;
    if (!by || !ids.length) return;
    event.preventDefault();
    const at = ids.indexOf(chosen[0]);
    const to = Math.min(ids.length - 1, Math.max(0, at < 0 ? from : at + by));
    if (to !== at || chosen.length > 1) choose([ids[to]], true);
  };
  document.addEventListener("keydown", step);
  return (data) => {
    if (data.html !== html) {
      html = data.html;
      root.innerHTML = html;
      ids = rows().map((row) => row.dataset.id);
    }
    from = data.from;
    if (data.sent < sent) return;  // the answer to an earlier choice
    sent = data.sent;
    chosen = data.chosen;
    mark(true);
  };
}

export default function component({ parentElement, data, setStateValue }) {
  if (!mounted.has(parentElement)) {
    mounted.set(parentElement, mount(parentElement.querySelector(".rk-incidents"), (chosen) => setStateValue("chosen", chosen)));
  }
  mounted.get(parentElement)(data);
}
