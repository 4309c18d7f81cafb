// Works every draw on the page out again in this browser: from its signed record to its numbers,
// without asking anybody (X-draw-public). The server has its own column; this one is yours.

const derive = import("./derive.js").catch(() => null);
export const known = new Map(); // what was worked out, of the draws on the page

async function workedOut(row) {
  const way = await derive;
  if (way === null || way.canDerive?.() === false) return null; // this browser has no means to
  try {
    const numbers = await way.numbersOf(JSON.parse(row.dataset.document));
    return [...numbers].join(" ") === row.dataset.numbers ? ["ready", "same numbers"] : ["void", "other numbers"];
  } catch {
    return ["void", "does not follow"];
  }
}

const keyOf = (row) => `${row.dataset.numbers} ${row.dataset.document}`;

async function lookAt(row) {
  const key = keyOf(row);
  if (!known.has(key)) known.set(key, workedOut(row));
  const found = await known.get(key);
  if (found === null) return;
  const told = document.createElement("span");
  told.className = `state ${found[0]}`;
  told.textContent = found[1];
  row.querySelector("[data-here]").replaceChildren(told);
}

function lookAtAll() {
  const rows = [...document.querySelectorAll("tr[data-document]")];
  const keys = new Set(rows.map(keyOf));
  for (const key of known.keys()) if (!keys.has(key)) known.delete(key); // a draw that is off the page
  for (const row of rows) lookAt(row);
}

document.addEventListener("refreshed", lookAtAll);
lookAtAll();
