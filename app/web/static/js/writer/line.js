// The line: what is typed is heard by the centre at every pause, and shown as it was understood.

import { NoAnswer, el, money, post } from "../api.js";
import { Pad } from "./pad.js";

const PAUSE_MS = 90;
export const CALM_MS = 700; // a key that bounces, or is held, confirms nothing

export class Line {
  constructor(onAway) {
    this.onAway = onAway;
    this.input = document.getElementById("line");
    this.tender = document.getElementById("tender");
    this.confirm = document.getElementById("confirm");
    this.words = document.getElementById("words");
    this.pad = new Pad(document.getElementById("pad"), (number) => this.press(number));
    this.heard = null;
    this.heardText = null;
    this.recalled = null; // the ticket that this line was recalled from
    this.confirming = null;
    this.askedAt = 0;
    for (const field of [this.input, this.tender]) {
      field.addEventListener("input", () => this.typed());
    }
  }

  get text() {
    return `${this.input.value.trim()}\n${this.tender.value.trim()}`;
  }

  get isEmpty() {
    return !this.input.value.trim();
  }

  /** Whether the cursor is where a ticket is typed. */
  get isTyped() {
    return [this.input, this.tender, this.confirm].includes(document.activeElement);
  }

  typed() {
    this.confirming = null;
    document.getElementById("confirm-label").classList.add("hidden");
    if (this.isEmpty) this.recalled = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hear().catch(() => {}), PAUSE_MS);
  }

  /** Take what is typed out of the line, which is free for the next ticket at once. */
  take() {
    const taken = {
      text: this.text,
      recalled: this.recalled,
      confirmed: this.confirming === this.text && (Boolean(this.confirm.value) || performance.now() - this.askedAt > CALM_MS),
      confirm: this.confirm.value,
      heard: this.heardText === this.text ? this.heard : null,
    };
    this.clear();
    return taken;
  }

  /** Put it back, because it was not sold; if the next is typed already, only say why. */
  putBack(taken) {
    if (this.input.value) return false;
    [this.input.value, this.tender.value] = taken.text.split("\n");
    this.recalled = taken.recalled;
    this.heard = taken.heard;
    this.heardText = taken.heard ? taken.text : null;
    if (this.heard) this.show();
    return true;
  }

  /** Have the centre hear what was taken, if it has not yet. */
  async hearTaken(taken) {
    const [line, tender] = taken.text.split("\n");
    taken.heard ??= await post("/api/v1/spoken", { line, tender });
    return taken.heard;
  }

  /** Have the centre hear the line as it is now; the newest answer counts. */
  async hear() {
    const text = this.text;
    if (this.heardText === text) return this.heard;
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const [line, tender] = text.split("\n");
    try {
      const heard = await post("/api/v1/spoken", { line, tender }, undefined, { signal: asking.signal });
      if (asking === this.asking && text === this.text) {
        this.heard = heard;
        this.heardText = text;
        this.show();
      }
      return heard;
    } catch (trouble) {
      if (trouble instanceof NoAnswer) this.onAway(true, trouble.said);
      throw trouble;
    }
  }

  show() {
    const { groups, words, warnings, faults, change_cents: change } = this.heard;
    this.pad.show(groups);
    const parts = words ? [words] : [];
    if (words && this.tender.value.trim() && change !== null) {
      parts.push(el("span", { class: "change" }, ` Change ${money(change)}`));
    }
    this.words.replaceChildren(...parts);
    fill("warnings", warnings);
    // While somebody still types, what is missing is no fault yet.
    const typing = document.activeElement === this.input && !words && !/@\s*\$?[\d.]/.test(this.input.value);
    fill("faults", typing ? [] : faults.map((each) => each.message));
  }

  showFaults() {
    fill("faults", this.heard.faults.map((each) => each.message));
  }

  /** Whether a large price was said twice: by Enter once more, or by typing it. */
  isConfirmed({ heard, confirmed, confirm: typed }) {
    const { confirm, quote } = heard;
    if (!confirm) return true;
    if (!confirmed) return false;
    return confirm < 2 || Math.round(Number(typed.replace(/[$,\s]/g, "")) * 100) === quote.price_cents;
  }

  /** Ask for a large price to be said twice. */
  askToConfirm(taken) {
    if (!this.putBack(taken)) return false;
    this.askedAt = performance.now();
    const { confirm, quote } = taken.heard;
    this.confirming = this.text;
    document.getElementById("confirm-label").classList.toggle("hidden", confirm < 2);
    const price = money(quote.price_cents);
    fill("warnings", [confirm < 2 ? `${price}: press Enter again to sell it.` : `${price}: type the price again.`]);
    (confirm < 2 ? this.input : this.confirm).focus();
    return true;
  }

  /** Put a ticket into the line, to be played again or changed. */
  recall(ticket) {
    this.input.value = ticket.spoken;
    this.recalled = ticket;
    this.typed();
    this.focus();
    this.input.setSelectionRange(this.input.value.length, this.input.value.length);
  }

  /** Put a number behind the others, also where the ways and the rate are typed already. */
  press(number) {
    const [, numbers, rest = ""] = this.input.value.match(/^(.*?)((?:\s+\d+\/\d+)*\s*@.*)?$/);
    this.input.value = `${numbers.trimEnd()} ${number} ${rest.trimStart()}`.trimStart();
    this.input.focus();
    this.typed();
  }

  clear() {
    clearTimeout(this.timer);
    this.asking?.abort(); // what was asked is about a line that is gone
    this.input.value = this.tender.value = this.confirm.value = "";
    this.recalled = this.confirming = this.heard = this.heardText = null;
    document.getElementById("confirm-label").classList.add("hidden");
    this.pad.show([]);
    this.words.replaceChildren();
    fill("warnings", []);
    fill("faults", []);
    this.focus();
  }

  focus() {
    this.input.focus();
  }
}

/** Whether what was heard still plays a ticket again: its numbers or its ways are those of it (15.3(b)). */
export function isReplayOf(ticket, { request, quote }) {
  if (!ticket || request.quick_pick) return false;
  return isSame(ticket.groups.map(rising), request.groups.map(rising)) || isSame(ticket.lines, quote.lines.map(unpriced));
}

const unpriced = ({ price_cents, ...line }) => line;
const rising = (group) => [...group].sort((one, other) => one - other);
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function fill(id, texts) {
  document.getElementById(id).replaceChildren(...texts.map((text) => el("li", {}, text)));
}
