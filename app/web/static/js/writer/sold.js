// The tickets that were sold here last, each with how far its slip is. There are always as many rows, and
// a mark has its own place: nothing else on the page moves when one changes.

import { el, money } from "../api.js";

const SVG = "http://www.w3.org/2000/svg";
const PICTURES = { "not-made": "not-printed", stopped: "jammed" }; // those that share a picture

/** A picture that says nothing to a screen reader: the word beside it does. */
export function picture(mark) {
  const made = document.createElementNS(SVG, "svg");
  made.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#mark-${PICTURES[mark] ?? mark}`);
  made.append(use);
  return made;
}

export class JustSold {
  constructor() {
    this.list = document.querySelector("#just-sold ul");
    this.shown = null;
    this.show([]);
  }

  /** Show the newest tickets; rows that have not changed are not touched. */
  show(sold) {
    const text = JSON.stringify(sold);
    if (text === this.shown) return;
    this.shown = text;
    const rows = Number(this.list.dataset.rows);
    const newest = sold.slice(0, rows).map(row);
    const none = Array.from({ length: rows - newest.length }, () => el("li", { "aria-hidden": "true" }));
    this.list.replaceChildren(...newest, ...none);
  }
}

function row(ticket) {
  const { printing } = ticket;
  const voided = ticket.void ? " void" : "";
  const mark = printing && el("span", { class: "mark", "data-mark": printing.mark, title: printing.why }, picture(printing.mark), words(printing));
  return el(
    "li",
    {},
    el("span", { class: `number${voided}` }, ticket.printed_number),
    " ",
    el("span", { class: "small" }, ticket.void ? "void" : `${ticket.series}-${ticket.first_game}`),
    " ",
    el("span", { class: `price${voided}` }, money(ticket.price_cents)),
    " ",
    mark,
  );
}

const words = ({ label, copy }) => (copy ? `copy ${label}` : label);
