"use strict";

// The page is complete without this: it adds sorting, the choice of theme and of segmentations.

function cellValue(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  // Cells without a value stand as text, after all numbers.
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(header, column) {
  const table = header.closest("table");
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((x, y) => (ascending ? 1 : -1) * compare(cellValue(x, column), cellValue(y, column)));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table")) {
  Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    button.title = "sort by this column";
    button.addEventListener("click", () => sortBy(header, column));
    header.replaceChildren(button);
  });
}

const theme = document.getElementById("theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});

const choice = document.getElementById("choice");
if (choice) {
  choice.hidden = false;
  choice.addEventListener("change", (event) => {
    for (const part of document.querySelectorAll(`[data-of="${event.target.value}"]`)) {
      part.hidden = !event.target.checked;
    }
  });
}
