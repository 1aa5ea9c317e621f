"use strict";
// Data of the run are inserted as text (textContent), or as HTML whose text was escaped.
const data = JSON.parse(document.getElementById("data").textContent);
const LISTED = 500, MARKS = { p: "pass", f: "fail", u: "unknown" };

function make(tag, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = String(text);
  if (kind) node.className = kind;
  return node;
}

const chosen = {}, search = make("input"), box = document.getElementById("list");
let hits = [], shown = -1;
function list() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  hits = data.samples.filter((s) =>
    Object.entries(chosen).every(([c, filter]) => !filter.value || String(s.row[c]) === filter.value) &&
    words.every((w) => s.text.includes(w)));
  document.getElementById("count").textContent = `${hits.length} of ${data.samples.length} samples` +
    (hits.length > LISTED ? `; the first ${LISTED} are listed` : "");
  box.replaceChildren(...hits.slice(0, LISTED).map((s) => {
    const row = make("a", undefined, "row"), strip = make("span", undefined, "strip");
    strip.append(...[...s.marks].map((m) => make("i", undefined, MARKS[m])));
    row.append(make("span", undefined, "dot " + s.tint), make("span", s.task), make("span", s.name), strip);
    row.href = "#" + s.number;
    row.title = s.row.quadrant;
    return row;
  }));
  mark();
}

function mark() {
  for (const row of box.children) row.classList.toggle("on", row.hash === "#" + shown);
}

function show(number) {
  const page = document.getElementById("sample-" + number), pane = document.getElementById("sample");
  shown = page ? number : -1;
  pane.replaceChildren(...(page ? [page.content.cloneNode(true)] : []));
  for (const dot of pane.querySelectorAll(".strip i"))
    dot.addEventListener("click", () => {
      const row = [...pane.querySelectorAll("tr[data-test]")].find((r) => r.dataset.test === dot.dataset.test);
      row.closest("details").open = true;
      for (const other of row.parentNode.children) other.classList.toggle("now", other === row);
      row.scrollIntoView({ block: "center" });
    });
  mark();
}

function route() {
  const number = location.hash.length > 1 ? Number(location.hash.slice(1)) : hits[0]?.number;
  show(number);
  if (location.hash.length > 1) document.querySelector("main").scrollIntoView();
}

for (const s of data.samples)
  s.text = [...Object.values(s.row), s.name,
            document.getElementById("sample-" + s.number).content.textContent].join(" ").toLowerCase();
search.placeholder = "Search task, model, program or code";
search.type = "search";
document.getElementById("filters").append(search);
search.addEventListener("input", list);
for (const column of data.filters) {
  const filter = make("select"), label = make("label", column + " ");
  const values = [...new Set(data.samples.map((s) => String(s.row[column])))].sort();
  if (values.length < 2) continue;
  filter.append(...["", ...values].map((v) => {
    const item = make("option", v || "(all)");
    item.value = v;
    return item;
  }));
  chosen[column] = filter;
  filter.addEventListener("change", list);
  label.append(filter);
  document.getElementById("filters").append(label);
}
document.addEventListener("keydown", (event) => {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  if (!step || event.target.closest("input, select") || event.ctrlKey || event.metaKey) return;
  const next = hits[hits.findIndex((s) => s.number === shown) + step];
  if (!next) return;
  event.preventDefault();
  history.replaceState(null, "", "#" + next.number);
  show(next.number);
  box.querySelector(".on")?.scrollIntoView({ block: "nearest" });
});
window.addEventListener("hashchange", route);
list();
route();
