// What the desk shows by itself: open games with the seconds that are left, the drawer, the printer.
// The seconds are the centre's; this page only counts on from what it was told last.

import { NoAnswer, get } from "../api.js";
import { isUnanswered } from "./acts.js";

const LOOK_MS = 2000;
const SERIES = "keno.series";
const NOTICE_SECONDS = 60; // 15.5(c)

export class Desk {
  constructor(onChange, onAway) {
    this.onChange = onChange;
    this.onAway = onAway;
    this.told = null;
    this.at = 0;
    this.asked = 0;
    this.heard = 0;
    this.series = localStorage.getItem(SERIES); // the one that was sold here last
    this.look();
    setInterval(() => this.tick(), 250);
  }

  /** Ask the centre; of two answers the one to the later question counts, whichever comes last. */
  async ask() {
    const asked = (this.asked += 1);
    const told = await get("/api/v1/desk", { background: true, patience: 4000 });
    if (asked < this.heard) return;
    this.heard = asked;
    this.told = told;
    this.at = performance.now();
  }

  async look() {
    try {
      await this.ask();
      if (!isUnanswered()) this.onAway(false);
      this.onChange(this);
    } catch (trouble) {
      if (trouble instanceof NoAnswer) this.onAway(true, trouble.said);
      else this.refused(trouble);
    }
    this.tick();
    setTimeout(() => this.look(), LOOK_MS);
  }

  /** Nothing more is told to this station: what it was told last is not counted on. */
  refused(no) {
    this.told = null;
    this.onAway(true, no.message);
  }

  /** Look at once, because something was just done. */
  async lookNow() {
    try {
      await this.ask();
      this.onChange(this);
    } catch {
      // The next look tells.
    }
  }

  get game() {
    const games = this.told?.games ?? [];
    return games.find((game) => game.series === this.series) ?? games[0] ?? null;
  }

  secondsLeft(game) {
    if (game.seconds_left === null || game.seconds_left === undefined) return null;
    return Math.max(0, game.seconds_left - (performance.now() - this.at) / 1000);
  }

  async nextSeries() {
    if (!this.told) await this.lookNow(); // a key that came before the first answer
    const games = this.told?.games ?? [];
    if (!games.length) return;
    this.series = games[(games.indexOf(this.game) + 1) % games.length].series;
    localStorage.setItem(SERIES, this.series);
    this.tick();
  }

  tick() {
    const shown = document.getElementById("games");
    if (!shown) return;
    const games = this.told?.games ?? [];
    const parts = games.map((game) => {
      const part = document.createElement("span");
      const left = this.secondsLeft(game);
      const name = game.game === null ? `${game.series}: no game is open` : `${game.series}-${game.game}`;
      part.textContent = `${name} `;
      if (game === this.game && games.length > 1) part.setAttribute("aria-current", "true");
      const time = document.createElement("span");
      time.className = left !== null && left < NOTICE_SECONDS ? "left soon" : "left";
      time.textContent = game.held ? heldWords(game) : left === null ? "" : clock(left);
      part.append(time);
      return part;
    });
    shown.replaceChildren(...parts);
    this.notice();
    this.stopped();
  }

  /** What a supervisor has stopped stands above the games until it is sold again. */
  stopped() {
    const place = document.getElementById("stopped");
    const each = (this.told?.stopped ?? []).map(({ what, why }) => `${what} (${why})`);
    const text = each.length ? `Not sold now: ${each.join("; ")}.` : "";
    place.classList.toggle("hidden", !text);
    if (place.textContent !== text) place.textContent = text;
  }

  notice() {
    const place = document.getElementById("closing");
    const left = this.game ? this.secondsLeft(this.game) : null;
    const soon = left !== null && left < NOTICE_SECONDS && !this.game.held; // held, it does not close
    place.classList.toggle("hidden", !soon);
    const text = left === 0 ? "Closed. The next game opens at once." : "This game closes within a minute.";
    if (soon && place.textContent !== text) place.textContent = text;
  }
}

function heldWords(game) {
  return game.held_why ? `held: ${game.held_why}` : "held";
}

export function clock(seconds) {
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
