// What is at hand beside the line: a scanned ticket, the drawer, paper that may not have come out.
// A panel is never in the way: the line stays where it is, and Escape leads back to it.

import { el } from "../api.js";

export class Panel {
  constructor(onClose) {
    this.element = document.getElementById("panel");
    this.onClose = onClose;
    this.keys = {};
    this.onScan = null; // what is done with a scan while this is at hand, if not what is always done
    this.isPatrons = false; // whether it goes when the patron does
    // Space belongs to the line: whoever types on behind a scan presses no button with it.
    for (const kind of ["keydown", "keyup"]) this.element.addEventListener(kind, withoutSpace);
  }

  get isOpen() {
    return !this.element.classList.contains("hidden");
  }

  /** Show something, with what its keys do; the first thing to fill in, or a long list, gets the cursor. */
  show(content, keys = {}, { focus = true, onScan = null, isPatrons = false } = {}) {
    this.element.replaceChildren(...(Array.isArray(content) ? content : [content]));
    this.element.classList.remove("hidden");
    this.keys = keys;
    this.onScan = onScan;
    this.isPatrons = isPatrons;
    if (focus) this.focus();
  }

  /** Lead the cursor here; where there is nothing to lead it to, it stays in the line. */
  focus() {
    const fields = [...this.element.querySelectorAll("input, button, textarea, select, [tabindex]")];
    const first = fields.find((field) => field.checkVisibility()); // not what is folded away
    if (first) first.focus();
    else this.onClose();
  }

  /** Show a template of the page; what is to be changed in it is changed before it is seen. */
  template(name, change = () => {}, keys = {}, how = {}) {
    const made = document.getElementById(`panel-${name}`).content.cloneNode(true);
    change(made);
    this.show([...made.children], keys, how);
  }

  close() {
    if (!this.isOpen) return;
    this.element.classList.add("hidden");
    this.element.replaceChildren();
    this.keys = {};
    this.onScan = null;
    this.isPatrons = false;
    this.onClose();
  }
}

function withoutSpace(event) {
  if (event.key === " " && event.target.tagName === "BUTTON") event.preventDefault();
}

/** Buttons with their keys, in a row. */
export function choices(...made) {
  return el(
    "div",
    { class: "row" },
    ...made
      .filter(Boolean)
      .map(({ key, text, act, quiet }) =>
        el("button", { type: "button", class: quiet ? "quiet" : "", onclick: act }, el("kbd", {}, key), ` ${text}`),
      ),
  );
}

/** A name and a secret, of whoever approves in place. */
export function personFields(field, title) {
  return el(
    "fieldset",
    {},
    el("legend", {}, title),
    el(
      "div",
      { class: "row" },
      el("label", {}, "Name ", el("input", { name: `${field}.name`, autocomplete: "off", required: true })),
      el("label", {}, "Secret ", el("input", { name: `${field}.secret`, type: "password", autocomplete: "off", required: true })),
    ),
  );
}
