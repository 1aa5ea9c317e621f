"use strict";
// Every text is in the page already; rows are only moved and hidden.
const read = (row, column) => row.cells[column].dataset.value;

function compare(one, other) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const numbers = [Number(one), Number(other)];
  return numbers.some(Number.isNaN) ? one.localeCompare(other, "en", { numeric: true }) : numbers[0] - numbers[1];
}

function sort(head) {
  const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
  const order = head.ariaSort === "descending" ? "ascending" : "descending";
  for (const each of head.parentNode.cells) each.ariaSort = each === head ? order : "none";
  const sign = order === "ascending" ? 1 : -1;
  const empty = (row) => read(row, column) === "";  // last in both orders
  body.append(...[...body.rows].sort((a, b) => empty(a) || empty(b) ?
    empty(a) - empty(b) : sign * compare(read(a, column), read(b, column))));
}

for (const head of document.querySelectorAll("table.sorted th"))
  head.firstElementChild.addEventListener("click", () => sort(head));

const table = document.querySelector("table.chosen"), chosen = new Map();
for (const head of table.querySelectorAll("th.filter")) {
  const column = head.cellIndex, rows = [...table.tBodies[0].rows];
  const values = [...new Set(rows.map((row) => read(row, column)))].sort(compare);
  if (values.length < 2) continue;
  const label = document.createElement("label"), filter = document.createElement("select");
  filter.append(new Option("(all)", ""), ...values.map((value) => new Option(value, value)));
  label.append(head.textContent.trim() + " ", filter);
  document.getElementById("filters").append(label);
  chosen.set(column, filter);
  filter.addEventListener("change", () => {
    for (const row of rows)
      row.hidden = [...chosen].some(([at, { value }]) => value && read(row, at) !== value);
  });
}
