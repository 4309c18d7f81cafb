// Forms that go to the API. A form says what it does and where its fields belong:
//
//   <form data-act="/api/v1/games/M/12/lock" data-then="reload">
//     <input name="reason">  <input name="approval.name">  <input name="amounts.coin" data-kind="money">
//
// It is sent once under a request id of its own, which stays the same until it was answered: pressed
// twice, or sent again when no answer came, it is still done once.

import { NoAnswer, newRequestId, post } from "./api.js";

// What was not counted is not made up: half a bill, or a part of a cent, is a slip of the finger.
const MONEY = /^(\d+\.?\d{0,2}|\.\d{1,2})$/;
const WHOLE = /^\d+$/;

let sendBy = post;

/** Have forms sent in another way: the writer's page keeps each act until it is answered. */
export function sendFormsBy(other) {
  sendBy = other;
}

export function documentOf(form) {
  const made = {};
  for (const field of form.querySelectorAll("[data-list]")) {
    const list = (made[field.dataset.list] ??= []);
    if (field.checked) list.push(Number(field.value));
  }
  for (const field of form.elements) {
    if (!field.name || field.disabled || (field.type === "radio" && !field.checked)) continue;
    const value = valueOf(field);
    if (value === undefined) continue;
    const path = field.name.split(".");
    let place = made;
    for (const part of path.slice(0, -1)) place = place[part] ??= {};
    place[path.at(-1)] = value;
  }
  return made;
}

function valueOf(field) {
  if (field.type === "checkbox") return field.checked ? "yes" : "no";
  const text = field.type === "password" ? field.value : field.value.trim();
  if (text === "" && !field.required) return undefined;
  if (field.dataset.kind === "money") return number(field, text.replace(/[$,\s]/g, ""), MONEY, 100);
  if (field.dataset.kind === "whole") return number(field, text, WHOLE, 1);
  // What a clock on the wall of the house shows, wherever the browser thinks it is.
  if (field.dataset.zone) return `${text}[${field.dataset.zone}]`;
  return text;
}

function number(field, text, form, times) {
  const value = form.test(text) ? Math.round(Number(text) * times) : NaN;
  if (Number.isSafeInteger(value)) return value;
  field.focus();
  throw new Error(`"${text}" is no number.`);
}

/** Read a form; nobody's secret stays in the page. */
export function readForm(form) {
  const made = documentOf(form);
  for (const field of form.querySelectorAll('input[type="password"]')) field.value = "";
  return made;
}

async function send(form) {
  const told = form.querySelector("[data-told]") ?? form.appendChild(teller());
  const buttons = form.querySelectorAll("button");
  form.dataset.request ||= newRequestId();
  told.className = "notice";
  told.textContent = "One moment ...";
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await sendBy(form.dataset.act, readForm(form), form.dataset.request);
    delete form.dataset.request;
    told.className = "done";
    const shown = answer[form.dataset.shows];
    told.textContent = shown ? `Write it down, it is shown once: ${shown}` : (form.dataset.done ?? "Done.");
    form.dispatchEvent(new CustomEvent("answered", { bubbles: true, detail: answer }));
    if (form.dataset.then === "reload") location.reload();
    else if (form.dataset.then) location.assign(form.dataset.then);
  } catch (trouble) {
    told.className = "refusal";
    if (trouble instanceof NoAnswer) {
      told.textContent = `${trouble.message} Send it again: it is done once.`;
    } else {
      delete form.dataset.request;
      told.textContent = (trouble.refusals ?? [trouble]).map((each) => each.message).join(" ");
    }
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function teller() {
  const told = document.createElement("p");
  told.dataset.told = "";
  told.setAttribute("role", "status");
  return told;
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset?.act) return;
  event.preventDefault();
  send(event.target);
});

// What was pressed before this was here (`early.js`).
for (const form of window.takeHeldForms()) send(form);
