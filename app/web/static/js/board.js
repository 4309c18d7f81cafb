// The board of a series. What is shown is always the last answer of the house; only a game whose
// numbers came while the board was looking is called number by number (15.5(f), 15.5(g)).

import { el, get } from "./api.js";
import { canDerive, numbersOf } from "./derive.js";
import { watch } from "./watch.js";

const SECOND = 1000;
const SOON = 60 * SECOND; // 15.5(c): a minute before the close
const LONG_AGO = 60; // seconds: then nobody waits for its numbers one by one
const PATIENCE = 5000;
const VOICE = "keno-voice";

const at = (id) => document.getElementById(id);
const series = at("board").dataset.series;
const cells = [...document.querySelectorAll("[data-number]")];
const asked = Number(new URLSearchParams(location.search).get("pace") ?? 1500);
const pace = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), 10 * SECOND) : 1500;

let open = null; // the game that is sold for, and by our own clock until when
let shown = { number: null, numbers: null, lit: 0, began: 0, timer: 0 };
let newest = null; // as it was answered last
let isFirst = true; // answer since the page was opened
let verified = { number: null, how: "" };
let voice = false;

// ---- the open game -----------------------------------------------------------------------------

function setOpen({ game, seconds, held, held_why }) {
  const now = performance.now();
  open = { game, until: seconds === null ? null : now + seconds * SECOND, held, heldWhy: held_why };
  paintLeft(now);
}

function paintLeft(now) {
  const left = open?.until === null || !open ? null : Math.max(0, open.until - now);
  const place = at("left").parentElement;
  place.classList.toggle("held", Boolean(open?.held));
  place.classList.toggle("soon", left !== null && left < SOON && !open.held);
  setText("next", nextWords(left));
  setText("left", leftWords(left));
}

function nextWords(left) {
  if (!open) return "No game is open";
  if (open.held || left === null) return `Game ${open.game} is open`;
  return left > 0 ? `Game ${open.game} closes in` : `Game ${open.game}`;
}

function leftWords(left) {
  if (open?.held) return open.heldWhy ? `Held: ${open.heldWhy}` : "Held";
  if (left === null) return "";
  if (left === 0) return "Closed";
  const seconds = Math.ceil(left / SECOND);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

// ---- the newest game ---------------------------------------------------------------------------

function showGame(game) {
  const numbers = verified.how === "differs" ? null : game.numbers;
  const isSame = shown.number === game.number && Boolean(shown.numbers) === Boolean(numbers);
  if (!isSame) {
    clearTimeout(shown.timer);
    globalThis.speechSynthesis?.cancel();
    for (const cell of cells) cell.classList.remove("lit", "now");
    at("order").replaceChildren();
    shown = { number: game.number, numbers, lit: 0, began: performance.now(), timer: 0 };
    // It was drawn before the board looked, or while it was away.
    if (isFirst || game.ended_seconds > LONG_AGO) shown.began = -Infinity;
    else if (numbers) say(`Game ${game.number}.`);
    light();
  }
  setText("game", game.game);
  paintState(game);
}

/** Light every number whose time has come. */
function light() {
  if (!shown.numbers) return;
  const passed = performance.now() - shown.began;
  const due = pace ? Math.min(20, Math.floor(passed / pace) + 1) : 20;
  while (shown.lit < due) {
    const number = shown.numbers[shown.lit];
    shown.lit += 1;
    cells[number - 1].classList.add("lit");
    at("order").append(el("li", {}, String(number)));
    if (shown.began !== -Infinity) say(String(number));
  }
  for (const cell of cells) cell.classList.remove("now");
  if (shown.lit === 20) return;
  cells[shown.numbers[shown.lit - 1] - 1].classList.add("now");
  shown.timer = setTimeout(calling, pace - (passed % pace));
}

function calling() {
  light();
  paintState(newest);
}

function paintState(game) {
  newest = game;
  const isCalling = shown.numbers && shown.lit < 20;
  let words = isCalling ? `Drawing: ${shown.lit} of 20` : game.words;
  if (verified.how === "differs") words = "Not shown: its record does not give its numbers.";
  setText("state", words);
  const isBad = verified.how === "differs" || game.state === "void" || game.state === "frozen";
  at("state").classList.toggle("bad", isBad);
  setText("verified", game.numbers && !isCalling ? MARKS[verified.how] : "");
}

// What was checked is said, and no more: signatures are checked by the house and on /inspector.
const MARKS = { verified: "\u2713 follows from its signed record", house: "", differs: "" };

/** Work the numbers of a new game out again from its signed record (X-draw-public). */
async function verify(game) {
  if (!game?.numbers || verified.number === game.number) return;
  let how = "house";
  if (canDerive()) {
    const { record } = await get(`/results/${series}/${game.number}.json`, { patience: PATIENCE });
    const numbers = await numbersOf(record).catch(() => []);
    how = numbers.join() === game.numbers.join() ? "verified" : "differs";
  }
  verified = { number: game.number, how };
}

// ---- everything --------------------------------------------------------------------------------

/** Show an answer of the house; the first one is not called, nor is what was missed. */
export async function show(news) {
  const [game, ...last] = news.games;
  await verify(game);
  if (news.open) setOpen(news.open);
  else {
    open = null;
    paintLeft(performance.now());
  }
  if (game) {
    if (!game.numbers) verified = { number: null, how: "" };
    showGame(game);
  }
  isFirst = false;
  const past = last.map((each) => row(each));
  at("last").replaceChildren(...past);
  setText("seal", news.seal ?? "-");
  const cards = news.cards.map((card) => `New rate card from ${card.from}: ${card.name}.`);
  setText("card", cards.join(" "));
  at("card").hidden = cards.length === 0;
}

function row(game) {
  const numbers = game.numbers ? [...game.numbers].sort((one, other) => one - other) : null;
  const written = numbers
    ? el("div", { class: "past" }, ...numbers.map((number) => el("span", {}, String(number))))
    : game.words;
  return el("tr", {}, el("th", { scope: "row" }, game.game), el("td", {}, written));
}

function setText(id, text) {
  const place = at(id);
  if (place.textContent !== text) place.textContent = text;
}

// ---- voice and full screen ---------------------------------------------------------------------

function say(words) {
  if (!voice || !globalThis.speechSynthesis) return;
  const spoken = new SpeechSynthesisUtterance(words);
  spoken.lang = "en-US";
  speechSynthesis.speak(spoken);
}

function setVoice(on) {
  voice = on;
  at("voice").setAttribute("aria-pressed", String(on));
  if (!on) globalThis.speechSynthesis?.cancel();
  try {
    localStorage.setItem(VOICE, on ? "on" : "off");
  } catch {
    // A browser that keeps nothing still speaks.
  }
}

function wholeScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {});
}

function keptVoice() {
  try {
    return localStorage.getItem(VOICE) === "on";
  } catch {
    return false;
  }
}

at("voice").addEventListener("click", () => setVoice(!voice));
at("whole").addEventListener("click", wholeScreen);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "v" || event.key === "V") setVoice(!voice);
  if (event.key === "f" || event.key === "F") wholeScreen();
});
setVoice(keptVoice());

watch(series, {
  async look() {
    await show(await get(`/board/${series}/now.json`, { background: true, patience: PATIENCE }));
  },
  left(facts) {
    const game = `${series}-${facts.game}`;
    if (open?.game === game) setOpen({ ...facts, game });
  },
  connected(is) {
    at("lost").hidden = is;
  },
  tick: paintLeft,
});
