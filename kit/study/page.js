"use strict";
// What the run holds comes as text (textContent), or as markup that was made with all text escaped.
const data = JSON.parse(document.getElementById("data").textContent);
const LISTED = 500;

function make(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined && text !== null) made.textContent = String(text);
  if (kind) made.className = kind;
  return made;
}

function table(columns, rows, row) {
  const out = make("table"), head = out.createTHead().insertRow(), body = out.createTBody();
  for (const name of columns) head.append(make("th", name));
  for (const cells of rows) {
    const line = body.insertRow();
    for (const cell of cells) line.append(cell instanceof Node ? cell : make("td", cell));
    if (row) row(line, cells);
  }
  return out;
}

function wide(node) {
  const out = make("div", undefined, "wide");
  out.append(node);
  return out;
}

function one(number) {
  const back = make("a", "← all samples"), page = document.getElementById("sample-" + number);
  back.href = "#";
  document.getElementById("sample").replaceChildren(back, page.content.cloneNode(true));
}

const chosen = {}, search = make("input");
function list() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = data.samples.filter((s) =>
    Object.entries(chosen).every(([c, box]) => !box.value || String(s.row[c]) === box.value) &&
    words.every((w) => s.text.includes(w)));
  document.getElementById("count").textContent = `${hits.length} of ${data.samples.length} samples` +
    (hits.length > LISTED ? `; the first ${LISTED} are listed` : "");
  const rows = hits.slice(0, LISTED).map((s) => data.columns.map((c) => s.row[c]));
  const shown = table(data.columns, rows, (line) => {
    const sample = hits[line.sectionRowIndex], link = make("a", line.cells[0].textContent);
    link.href = "#" + sample.number;
    line.cells[0].replaceChildren(link);
    line.cells[1].className = sample.row.quadrant === "correct and secure" ? "pass" : "fail";
  });
  document.getElementById("list").replaceChildren(wide(shown));
}

function route() {
  const sample = location.hash.length > 1 ? data.samples[Number(location.hash.slice(1))] : undefined;
  document.getElementById("all").hidden = Boolean(sample);
  document.getElementById("sample").hidden = !sample;
  if (sample) one(sample.number);
  window.scrollTo(0, 0);
}

for (const s of data.samples)
  s.text = [...Object.values(s.row), data.titles[s.task],
            document.getElementById("sample-" + s.number).content.textContent].join(" ").toLowerCase();
search.placeholder = "words of task, model, program or code";
search.type = "search";
document.getElementById("filters").append(search);
search.addEventListener("input", list);
for (const column of data.filters) {
  const box = make("select"), label = make("label", column + " ");
  const values = [...new Set(data.samples.map((s) => String(s.row[column])))].sort();
  box.append(...["", ...values].map((v) => {
    const item = make("option", v || "(all)");
    item.value = v;
    return item;
  }));
  chosen[column] = box;
  box.addEventListener("change", list);
  label.append(box);
  document.getElementById("filters").append(label);
}
document.getElementById("counts").append(wide(table(...data.counts)));
document.getElementById("scores").append(wide(table(...data.scores)));
document.getElementById("about").textContent = data.about;
window.addEventListener("hashchange", route);
list();
route();
