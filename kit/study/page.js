"use strict";
// Everything from the run is put in as text (textContent), never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const LISTED = 500, LINES = 2000;

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

function folded(title, node) {
  const out = make("details");
  out.append(make("summary", title), node);
  return out;
}

function program(sample) {
  const lines = sample.code.replace(/\n$/, "").split("\n"), out = make("pre", undefined, "code");
  lines.slice(0, LINES).forEach((line, n) => {
    const said = sample.alerts[n + 1], row = make("div", undefined, said ? "alert" : "");
    row.append(make("span", String(n + 1).padStart(4) + " ", "no"), line || " ");
    if (said) row.append(make("b", "  ◀ " + said));
    out.append(row);
  });
  const both = make("div");
  both.append(out);
  if (lines.length > LINES) {
    const rest = make("pre", lines.slice(LINES).join("\n"), "code");
    both.append(folded((lines.length - LINES) + " more lines", rest));
  }
  if (sample.cut) both.append(make("div", sample.cut + " more characters are not shown.", "quiet"));
  return both;
}

function verdicts(sample) {
  const names = ["test", "CWE", "input", "expected", "observed", "verdict", "reason", "evidence"];
  const failed = (cells) => Number(cells[5] !== "fail");
  const rows = [...sample.tests].sort((a, b) => failed(a) - failed(b));
  return wide(table(names, rows, (line, cells) => {
    line.className = cells[5];
    line.cells[0].className = line.cells[1].className = "key";
    line.cells[5].className = "key " + cells[5];
  }));
}

function one(sample) {
  const page = document.getElementById("sample"), back = make("a", "← all samples");
  back.href = "#";
  page.replaceChildren(back, make("h2", `${sample.task}, ${sample.name}: ${sample.quadrant}`));
  if (sample.note) page.append(make("p", sample.note));
  page.append(make("h4", "every test of this program, failed ones first"), verdicts(sample));
  if (sample.findings.length)
    page.append(make("h4", "findings"), wide(table(["engine", "alert", "where", "message"],
                                                   sample.findings)));
  page.append(make("h4", `program (${sample.language})`), program(sample));
  if (sample.response) page.append(folded("answer of the model", make("pre", sample.response)));
  page.append(folded("specification", make("pre", data.specifications[sample.task] || "")));
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
  if (sample) one(sample);
  window.scrollTo(0, 0);
}

for (const s of data.samples)
  s.text = [...Object.values(s.row), data.titles[s.task], s.code].join(" ").toLowerCase();
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
