// The drawer: opened by two, filled and bled with a supervisor, counted blind at the close.

import { el, get, money } from "../api.js";
import { act } from "./acts.js";
import { printedNumber } from "./numbering.js";

export class Drawer {
  constructor({ panel, tell, desk }) {
    Object.assign(this, { panel, tell, desk });
  }

  async show() {
    if (!this.desk.told) await this.desk.lookNow(); // a key that came before the first answer
    const { drawer, suspended } = this.desk.told ?? {};
    if (drawer === undefined) return;
    if (drawer === null) this.showOpening(suspended);
    else this.showOpen(drawer);
  }

  showOpening(suspended) {
    this.panel.template("drawer-open", (made) => {
      const place = made.querySelector("[data-suspended]");
      for (const each of suspended) {
        if (each.station !== this.desk.told.station) {
          place.append(el("p", { class: "notice" }, `Your drawer ${each.drawer} is at ${each.station}.`));
          continue;
        }
        place.append(
          el("button", { type: "button", class: "quiet", onclick: () => this.mind(each.drawer, "resume") }, `Resume drawer ${each.drawer}`),
        );
      }
      const form = made.querySelector("form");
      form.addEventListener("answered", (event) => this.done(`Drawer ${event.detail.drawer} is open with ${money(event.detail.opening_cents)}.`));
    }, {}, { onScan: () => this.first() });
  }

  showOpen(drawer) {
    const chosen = {
      fill: () => this.showMoving(drawer, "fill", "Fill from the bank"),
      bleed: () => this.showMoving(drawer, "bleed", "Bleed to the bank"),
      suspend: () => this.mind(drawer, "suspend"),
      close: () => this.showClosing(drawer),
    };
    // Letters: digits are typed and scanned here all day.
    const keys = { f: chosen.fill, b: chosen.bleed, k: chosen.suspend, c: chosen.close };
    this.panel.template(
      "drawer",
      (made) => {
        made.querySelector("[data-drawer]").textContent = drawer;
        for (const button of made.querySelectorAll("[data-choose]")) {
          button.addEventListener("click", chosen[button.dataset.choose]);
        }
      },
      keys,
    );
  }

  showMoving(drawer, name, title) {
    this.panel.template("move", (made) => {
      made.querySelector("[data-title]").textContent = title;
      const form = made.querySelector("form");
      form.dataset.act = `/api/v1/drawers/${drawer}/${name}`;
      form.addEventListener("answered", (event) => this.done(`${title}: ${money(event.detail.cents)}`));
    }, {}, { onScan: () => this.first() });
  }

  async showClosing(drawer) {
    const told = await get(`/api/v1/drawers/${drawer}`);
    this.panel.template("close", (made) => {
      const form = made.querySelector("form");
      form.dataset.act = `/api/v1/drawers/${drawer}/close`;
      const paid = made.querySelector("[data-paid]");
      for (const { number } of told.paid_tickets) {
        paid.append(el("label", {}, el("input", { type: "checkbox", "data-list": "tickets", value: number }), ` ${printedNumber(number)}`));
      }
      if (!told.paid_tickets.length) paid.append(el("p", { class: "small" }, "None was paid."));
      form.addEventListener("answered", (event) => this.closed(event.detail));
    }, {}, { onScan: (scanned) => this.checkOff(scanned.number) });
  }

  /** What is counted already is not taken away by a scan. */
  first() {
    this.tell("notice", "First what is at hand: Enter, or Esc to leave it. Then scan the ticket again.");
  }

  /** A paid ticket that is scanned at the close lies in the drawer. */
  checkOff(number) {
    const paid = this.panel.element.querySelector(`[data-list="tickets"][value="${number}"]`);
    if (!paid) return this.tell("notice", `Ticket ${printedNumber(number)} was not paid from this drawer.`);
    paid.checked = true;
    return this.tell("done", `Ticket ${printedNumber(number)} is in the drawer.`);
  }

  closed(answer) {
    const over = answer.over_short_cents;
    const name = over < 0 ? "Short" : over ? "Over" : "Even";
    this.desk.lookNow();
    this.panel.show([
      el("h2", {}, `Drawer ${answer.drawer} is closed`),
      el("p", { class: over ? "notice large" : "done large" }, `${name} ${over ? money(Math.abs(over)) : ""}`),
      el("p", {}, `Counted ${money(answer.counted_cents)}, expected ${money(answer.expected_cents)}.`),
      ...answer.found.map((each) => el("p", { class: "small" }, `${each.acts.join(" and ")}: ${money(each.cents)}`)),
      answer.tickets_missing?.length ? el("p", { class: "notice" }, `Paid tickets missing: ${answer.tickets_missing.join(", ")}`) : null,
    ].filter(Boolean));
  }

  async mind(drawer, name) {
    try {
      await act(`/api/v1/drawers/${drawer}/${name}`, {});
      this.done(name === "suspend" ? "Break: the drawer is closed to everyone until you are back." : "The drawer is open again.");
    } catch (no) {
      this.tell("refusal", no.message);
    }
  }

  done(text) {
    this.tell("done", text);
    this.panel.close();
    this.desk.lookNow();
  }
}
