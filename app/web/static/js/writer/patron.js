// One patron's acts in a row, with one net amount: collect $3.00, or pay $7.00 (a contact).

import { el, money, unique } from "../api.js";

export class Patron {
  constructor() {
    this.card = document.getElementById("card");
    this.net = document.getElementById("net");
    this.list = document.getElementById("acts");
    this.next();
  }

  /** The next patron: nothing of the one before counts any more. */
  next() {
    this.id = unique("c", 9);
    this.card.value = "";
    this.list.replaceChildren();
    this.show(null);
  }

  get contact() {
    const card = this.card.value.trim().toUpperCase();
    return card ? { id: this.id, player_card: card } : { id: this.id };
  }

  /** Whether the patron of a contact is still here. */
  isAt({ id }) {
    return id === this.id;
  }

  /** Note what was done; the centre tells the net amount. What was still the one before's is not. */
  note(text, contact) {
    if (contact && !this.isAt(contact)) return;
    this.list.append(el("li", {}, text));
    this.list.lastChild.scrollIntoView({ block: "nearest" });
    if (contact) this.show(contact);
  }

  show(contact) {
    const cents = contact?.net_cents ?? 0;
    this.net.className = `net ${cents > 0 ? "collect" : cents < 0 ? "pay" : ""}`;
    this.net.textContent =
      contact === null ? "Nothing yet" : cents > 0 ? `Collect ${money(cents)}` : cents < 0 ? `Pay ${money(-cents)}` : "Even";
    if (contact?.currency_report) this.net.textContent += " (currency report)";
  }
}
