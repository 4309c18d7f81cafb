// The writer's page, put together: what each key does, and what happens after a sale.

import { NoAnswer, el, get, money, newRequestId, post } from "../api.js";
import { sendFormsBy } from "../forms.js";
import { listenForScans } from "../scan.js";
import { BY_ANOTHER, NOT_DONE, act, isWaiting, settleWhatIsLeft, tellActsTo } from "./acts.js";
import { Desk } from "./desk.js";
import { Drawer } from "./drawer.js";
import { CALM_MS, Line, isReplayOf } from "./line.js";
import { Panel } from "./panel.js";
import { Papers, unknownPrinter } from "./papers.js";
import { Patron } from "./patron.js";
import { JustSold } from "./sold.js";
import { TicketAtHand } from "./ticket.js";

const practice = document.querySelector(".desk").dataset.practice === "yes";
// Of whoever is signed in: nobody is handed the ticket of somebody before them.
const LAST = `keno.last ${document.querySelector(".who").textContent}`;

const STAYS_MS = 10_000; // what a writer must have read before it is gone
const NOT_SOLD = "Not sold: ";
const NO_ANSWER = "There is no answer from the centre.";

const NO_CONNECTION = document.getElementById("away").textContent;

let whyAway = null; // nothing can be done now, and this is why
let unanswered = NO_ANSWER; // what was told of the last act that got no answer
let calmSince = -CALM_MS; // a key pressed once too often just now does not take away what is told
let isLate = false; // what is told next: it stays for a while, above what becomes of the act right behind it
let stays = [];
let staysSince = -STAYS_MS;
let entering = Promise.resolve();

function away(now = true, why = NO_CONNECTION) {
  whyAway = now ? why : null;
  if (now) papers.report(unknownPrinter(why === NO_CONNECTION ? null : why));
  const alarm = document.getElementById("away");
  alarm.classList.toggle("hidden", !now);
  if (now && alarm.textContent !== why) alarm.textContent = why;
  if (!now && document.getElementById("told").textContent === unanswered) tell("notice");
}

function tell(kind, ...texts) {
  if (kind === "done") calmSince = performance.now();
  const before = performance.now() - staysSince < STAYS_MS ? stays : [];
  const shown = texts.map((text) => el("p", { class: `${kind} large` }, text));
  document.getElementById("told").replaceChildren(...before, ...shown);
  if (!isLate || kind === "notice") return;
  [isLate, stays, staysSince] = [false, [...before, ...shown], performance.now()];
}

function showPicture(number, name, source = `/api/v1/tickets/${number}/picture`) {
  const picture = document.getElementById("picture");
  if (picture.src.startsWith("blob:")) URL.revokeObjectURL(picture.src);
  picture.src = source;
  picture.alt = `Ticket ${name} as it is printed, its code masked`;
  document.getElementById("picture-of").textContent = `Ticket ${name}`;
  document.getElementById("paper").classList.remove("hidden");
}

const patron = new Patron();
const line = new Line(away);
const panel = new Panel(() => line.focus());
const desk = new Desk(changed, away);
const shared = { panel, patron, tell, desk, showPicture };
const drawer = new Drawer(shared);
const papers = new Papers(shared);
const justSold = new JustSold();
const ticket = new TicketAtHand({ ...shared, line, hearAgain, replay });

function changed() {
  const { drawer: number, sold } = desk.told;
  const state = document.getElementById("drawer-state");
  state.textContent = number === null ? "no drawer: F6" : `drawer ${number}`;
  state.className = `state ${number === null ? "unknown" : "open"}`;
  papers.look();
  justSold.show(sold);
}

// ---- selling --------------------------------------------------------------------------------------

// X-no-offline: nothing is sold without the centre, and the writer reads why.
const OFFLINE = "There is no connection: nothing can be sold. What was asked for is asked again.";
const offline = () => (whyAway === NO_CONNECTION ? OFFLINE : whyAway);

async function enter() {
  if (line.isEmpty) {
    return performance.now() - calmSince < CALM_MS || isWaiting() ? undefined : nextPatron();
  }
  if (whyAway) return tell("notice", offline());
  ticket.voiding = false; // whoever sells does not void
  // The series and the patron are those of this moment, whatever is pressed next.
  const pressed = performance.now();
  const taken = { ...line.take(), series: desk.game?.series, contact: patron.contact, pressed };
  calmSince = pressed;
  tell("notice", "Selling ...");
  entering = entering.then(() => run(() => sellTaken(taken)));
  return entering;
}

/** What was typed, of a line whose place another has taken: else nobody would know what was not sold. */
const typed = (taken) => taken.text.split("\n")[0];

async function sellTaken(taken) {
  try {
    return await sellHeard(taken, await line.hearTaken(taken));
  } catch (no) {
    if (!line.putBack(taken)) no.unsold = typed(taken);
    throw no;
  }
}

async function sellHeard(taken, heard) {
  if (heard.faults.length) {
    tell("notice");
    if (line.putBack(taken)) line.showFaults();
    else tell("refusal", ...heard.faults.map((each) => each.message), NOT_SOLD + typed(taken));
    return undefined;
  }
  if (!line.isConfirmed(taken)) {
    tell("notice");
    if (line.askToConfirm(taken)) return undefined;
    return tell("refusal", `Not sold, it must be confirmed: ${typed(taken)}`);
  }
  if (practice) return practise(heard);
  if (!taken.series) throw new Error("No open game is known here yet. Press Enter again.");
  const request = heard.request;
  const sale = { series: taken.series, request, tender: heard.tender, contact: taken.contact };
  const asRequest = request.quick_pick ? "quick-pick" : "request";
  sale.source = isReplayOf(taken.recalled, heard) ? { ticket: taken.recalled.number } : asRequest;
  return sell(sale, taken.pressed);
}

/** Hear what a ticket costs if it is played again; nothing is sold without the centre. */
function hearAgain(shown) {
  if (whyAway) throw new Error(offline());
  return post("/api/v1/spoken", { line: shown.spoken, tender: "" });
}

/** Play a ticket again that was just paid; a large price is confirmed in the line (15.3(d)). */
async function replay(shown, heard, contact, pressed) {
  if (heard.faults.length) throw new Error(heard.faults.map((each) => each.message).join(" "));
  if (!heard.confirm) {
    const sale = { series: shown.series, source: { ticket: shown.number }, tender: heard.tender, contact };
    await sell(sale, pressed);
    return null;
  }
  const price = money(heard.quote.price_cents);
  if (!line.isEmpty) return `To play it again for ${price}, scan it when the line is free; then F2.`;
  line.recall(shown);
  return `To play it again for ${price}: Enter.`;
}

async function sell(sale, pressed) {
  const sold = await act("/api/v1/tickets", sale, newRequestId(), pressed);
  wasSold(sold);
  return sold;
}

function wasSold(sold) {
  away(false);
  sessionStorage.setItem(LAST, sold.number);
  const games = sold.first_game === sold.last_game ? `game ${sold.series}-${sold.first_game}` : `games ${sold.series}-${sold.first_game} to ${sold.last_game}`;
  tell("done", `Ticket ${sold.printed_number}, ${games}: ${money(sold.price_cents)}`, `Change ${money(sold.change_cents)}`);
  patron.note(`Sold ${sold.printed_number}: ${money(sold.price_cents)}`, sold.contact);
  showPicture(sold.number, sold.printed_number);
  desk.lookNow();
}

async function practise(heard) {
  const done = await post("/api/v1/practice", { request: heard.request, tender: heard.tender });
  tell("notice", `Practice: ${money(done.price_cents)}, change ${money(done.change_cents)}. Nothing was sold.`);
  patron.note(`Practice: ${money(done.price_cents)}`);
  const bytes = Uint8Array.from(atob(done.picture), (character) => character.charCodeAt(0));
  showPicture(0, "PRACTICE", URL.createObjectURL(new Blob([bytes], { type: "image/png" })));
}

function nextPatron() {
  patron.next();
  ticket.voiding = false; // what the next one brings is not to be voided
  if (panel.isPatrons) panel.close();
  stays = [];
  tell("notice");
  document.getElementById("paper").classList.add("hidden");
  line.clear();
}

// ---- keys -----------------------------------------------------------------------------------------

async function playAgain() {
  const last = sessionStorage.getItem(LAST);
  if (!last) return tell("notice", "No ticket was sold here yet; scan one.");
  const [text, contact] = [line.text, patron.contact];
  const shown = await get(`/api/v1/tickets/${last}`);
  // What was typed meanwhile, or for the next patron, stays.
  if (line.text === text && patron.isAt(contact)) line.recall(shown);
}

function lookUp() {
  if (practice) return notLookedAt();
  const unread = el("button", { type: "button", class: "quiet" }, "Fewer than eight digits can be read");
  const form = el(
    "form",
    { class: "stack" },
    el("label", {}, "Ticket number ", el("input", { name: "number", required: true, inputmode: "numeric" })),
    el("label", {}, "Code, ? for each digit that cannot be read ", el("input", { name: "code", autocomplete: "off", placeholder: "none: how it stands" })),
    el("button", {}, "Enter: look it up"),
    unread,
  );
  const number = () => {
    const typed = form.elements.number.value.trim();
    if (/^\d{1,11}(-\d)?$/.test(typed)) return typed;
    return tell("refusal", "A ticket's number has digits only, and its check digit behind a dash.");
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = number();
    const code = form.elements.code.value.replace(/\s/g, "") || null;
    if (typed) ticket.present({ number: typed, code }).catch(refused);
  });
  unread.addEventListener("click", () => {
    const typed = number();
    if (typed) ticket.askToPayUnread(typed);
  });
  panel.show([el("h2", {}, "Look a ticket up"), form]);
}

function notLookedAt() {
  tell("notice", "Practice: tickets are not looked at here.");
}

function voidNext() {
  if (practice) return notLookedAt();
  ticket.voiding = true;
  tell("notice", "Scan the ticket that is to be voided. Without its code: F3, and a supervisor.");
}

const OURS = /^F([1-9]|10)$/;
const KEYS = {
  F1: () => panel.template("keys"),
  F2: () => playAgain(),
  F3: () => lookUp(),
  F4: () => voidNext(),
  F5: () => patron.card.focus(),
  F6: () => drawer.show(),
  F7: () => nextPatron(),
  F8: () => papers.show(),
  F9: () => tell("notice", "Scan a winning ticket first."),
  F10: () => desk.nextSeries(),
};

function refused(no) {
  if (no.code === "act.never") away(false);
  const unsold = no.unsold ? [NOT_SOLD + no.unsold] : [];
  if (no instanceof NoAnswer) {
    away(true, no.said);
    unanswered = no.said ?? NO_ANSWER;
    tell("refusal", unanswered, ...unsold);
  } else if (no.name !== "AbortError") tell("refusal", ...(no.refusals ?? [no]).map((each) => each.message), ...unsold);
}

async function run(does) {
  try {
    await does();
  } catch (no) {
    refused(no);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  // The browser's own keys do nothing here, also while one is held: F5 never loads the page anew.
  if (OURS.test(event.key)) event.preventDefault();
  if (event.repeat) return;
  const inField = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && event.target !== line.input;
  const letter = event.key.length === 1 && (inField || (event.target === line.input && line.input.value));
  const does = (!letter && panel.isOpen && panel.keys[event.key.toLowerCase()]) || (panel.isOpen && panel.keys[event.key]) || KEYS[event.key];
  if (event.key === "Escape") {
    event.preventDefault();
    ticket.voiding = false;
    if (panel.isOpen) panel.close();
    else if (document.activeElement !== line.input) line.focus();
    else line.clear();
  } else if (event.key === "PageDown" && panel.isOpen && line.isTyped) {
    event.preventDefault();
    panel.focus();
  } else if (does && !letter) {
    event.preventDefault();
    run(does);
  }
});

document.getElementById("sale").addEventListener("submit", (event) => event.preventDefault());
document.getElementById("sale").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (!event.repeat) run(enter);
});
patron.card.addEventListener("keydown", (event) => {
  if (event.key === "Enter") line.focus();
});
for (const button of document.querySelectorAll("[data-key]")) {
  button.addEventListener("click", () => run(() => (panel.keys[button.dataset.key] ?? KEYS[button.dataset.key])()));
}

// Scans wait for each other: however fast they come, each is seen.
let scans = Promise.resolve();
listenForScans((scanned) => {
  if (practice) return notLookedAt();
  const brought = { ...scanned, contact: patron.contact };
  scans = scans.then(() => run(() => (panel.onScan ? panel.onScan(brought) : ticket.present(brought))));
  return undefined;
});

// An act whose answer was lost: the centre has said what became of it.
function settled(done, answer) {
  away(false);
  desk.lookNow();
  if (!done) tell("refusal", NOT_DONE);
  else if (!answer) tell("done", BY_ANOTHER);
  else if (answer.change_cents !== undefined) wasSold(answer);
  else if (answer.pay_cents !== undefined) tell("done", `It was paid: ${money(answer.pay_cents)}`);
  else if (answer.back_cents !== undefined) tell("done", `It was done: give back ${money(answer.back_cents)}`);
  else tell("done", "The last act was done.");
}

tellActsTo({ away, settled, late: () => (isLate = true), practice });
sendFormsBy(act);
settleWhatIsLeft();
line.focus();
