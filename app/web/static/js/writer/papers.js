// Paper that may not have come out: the writer is asked, and says yes or no.

import { el } from "../api.js";
import { act } from "./acts.js";
import { printedNumber } from "./numbering.js";
import { choices } from "./panel.js";

const WORDS = { queued: "waits", sending: "was sent to the printer", unknown: "nobody knows whether it came out", aside: "could not be made" };

/** What is known of the printer while the centre does not say: why it does not, if it answered at all. */
export const unknownPrinter = (why) => ({
  level: "warning",
  sentence: why ? `${why} The marks of slips may be out of date.` : "No connection: the marks of slips may be out of date.",
});

export class Papers {
  constructor({ panel, tell, desk }) {
    Object.assign(this, { panel, tell, desk });
    this.asked = null;
  }

  /** Look at what the desk was told: a new question is shown at once, if nothing else is at hand. */
  look() {
    const { papers, printing } = this.desk.told;
    this.report(printing);
    const question = papers.find((paper) => paper.question);
    const name = question && `${question.paper}.${question.copy}`;
    if (question && name !== this.asked && !this.panel.isOpen) {
      this.asked = name;
      this.ask(question);
    }
  }

  /** Report how the printer is, in its line; a screen reader reads it when it changes. */
  report({ level, sentence }) {
    const strip = document.getElementById("printer");
    const words = strip.querySelector("span");
    if (words.textContent === sentence) return;
    strip.dataset.level = level;
    strip.title = sentence;
    strip.querySelector("use").setAttribute("href", level === "ready" ? "#mark-printed" : "#mark-jammed");
    words.textContent = sentence;
  }

  async show() {
    if (!this.desk.told) await this.desk.lookNow();
    const { papers } = this.desk.told ?? { papers: [] };
    const question = papers.find((paper) => paper.question);
    if (question) return this.ask(question);
    const list = papers.map((paper) => el("li", {}, `${about(paper)}: ${WORDS[paper.state] ?? paper.state}${paper.why ? ` (${paper.why})` : ""}`));
    this.panel.show([
      el("h2", {}, "Paper"),
      list.length ? el("ul", {}, ...list) : el("p", {}, "Nothing waits to be printed."),
      choices({ key: "T", text: "Test page", act: () => this.test() }),
    ], { t: () => this.test() });
  }

  ask(paper) {
    const say = (printed) => () => this.say(paper, printed);
    this.panel.show(
      [
        el("h2", {}, `Did the ${about(paper)} print?`),
        el("p", {}, paper.why ?? ""),
        choices({ key: "Y", text: "Yes, it is here", act: say("yes") }, { key: "N", text: "No: print a copy", act: say("no") }),
      ],
      { y: say("yes"), n: say("no") },
      { focus: false },
    );
  }

  async say(paper, printed) {
    try {
      const said = await act(`/api/v1/papers/${paper.paper}/printed`, { copy: paper.copy, printed });
      this.tell("done", printed === "yes" ? "Noted." : said.copy_queued ? `Copy ${said.copy_queued} is queued.` : "No copy is printed. Unless its ticket is void, a supervisor can have it printed again.");
    } catch (no) {
      this.tell("refusal", no.message);
    }
    this.panel.close();
    this.desk.lookNow();
  }

  async test() {
    try {
      await act("/api/v1/papers", { slip: "test" });
      this.tell("done", "A test page is queued.");
    } catch (no) {
      this.tell("refusal", no.message);
    }
    this.panel.close();
  }
}

function about(paper) {
  const number = paper.about?.ticket ? ` ${printedNumber(paper.about.ticket)}` : "";
  return `${paper.slip}${number}${paper.copy ? `, copy ${paper.copy}` : ""}`;
}
