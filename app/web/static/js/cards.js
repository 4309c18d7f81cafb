// A rate card before it is brought: read from a file, checked, and shown against the one in force.

import { el, post } from "./api.js";

const text = document.getElementById("card-text");
const checked = document.getElementById("checked");

document.getElementById("card-file")?.addEventListener("change", async (event) => {
  const [file] = event.target.files;
  if (file) text.value = await file.text();
});

document.getElementById("card-form")?.addEventListener("answered", (event) => {
  const { name, faults, advantages, difference } = event.detail;
  const rows = advantages.map((each) =>
    el("tr", {}, el("td", {}, each.schedule), el("td", {}, each.spots), el("td", {}, percent(each.house_advantage)), el("td", {}, each.before ? percent(each.before) : "")),
  );
  const said = [el("h3", {}, name || "This card cannot be read"), ...faults.map((fault) => el("p", { class: "refusal" }, fault.message))];
  if (!name) return checked.replaceChildren(...said); // and so it is like no other
  return checked.replaceChildren(
    ...said,
    faults.length ? "" : el("p", { class: "done" }, "It may be put into force."),
    el("table", {}, el("thead", {}, el("tr", {}, ...["Schedule", "Spots", "The house keeps", "Now"].map((each) => el("th", {}, each)))), el("tbody", {}, ...rows)),
    el("h3", {}, "Against the card in force"),
    el("pre", {}, difference.join("\n") || "It is the same."),
  );
});

document.getElementById("bring")?.addEventListener("click", async () => {
  try {
    const { card } = await post("/api/v1/cards", { file: text.value });
    location.assign(`/supervisor/cards/${card}`);
  } catch (no) {
    checked.replaceChildren(...(no.refusals ?? [no]).map((each) => el("p", { class: "refusal" }, each.message)));
  }
});

function percent(ratio) {
  const [over, under] = ratio.split("/").map(Number);
  return `${((100 * over) / under).toFixed(2)} %`;
}
