// A ticket at hand: what it pays and why, what is missing before it does, and what can be done with it.

import { Refusal, el, get, money, newRequestId, post } from "../api.js";
import { readForm } from "../forms.js";
import { act } from "./acts.js";
import { printedNumber } from "./numbering.js";
import { choices, personFields } from "./panel.js";

const SUPERVISOR = new Set(["approval.needed", "approval.supervisor_needed", "payment.lost_claimed"]);
const MANAGER = "approval.manager_needed";
const TAX = "payment.tax_paper_needed";
// For what money goes back over a ticket that is not paid, by how it stands.
const BACK = {
  "in-play": "Cancel the rest",
  refund: "Refund games that were void",
};
const NOT_TOLD = "Nothing is paid without its paper. Scan it, or F3 again and type its code, ? for each digit that cannot be read.";

export class TicketAtHand {
  constructor({ panel, patron, line, tell, desk, hearAgain, replay, showPicture }) {
    Object.assign(this, { panel, patron, line, tell, desk, hearAgain, replay, showPicture });
    this.voiding = false;
  }

  /** Whether the next ticket that is scanned is to be voided; seen for as long as it is so. */
  set voiding(next) {
    this.isVoiding = next;
    document.getElementById("voiding").classList.toggle("hidden", !next);
  }

  /** A ticket was scanned, or its number typed: say what can be done with it. */
  async present({ number, code, contact = this.patron.contact }) {
    const ticket = { number, code };
    let refusal = null;
    try {
      const path = `/api/v1/tickets/${number}`;
      ticket.shown = code ? await post(`${path}/look-up`, { code }) : await get(path);
      ticket.number = ticket.shown.number; // it may have been typed with its check digit
      if (this.isVoiding) return this.patron.isAt(contact) && this.askToVoid(ticket);
      if (code) ticket.claim = await post(`/api/v1/tickets/${ticket.number}/present`, { code, contact });
    } catch (no) {
      if (!ticket.shown || !(no instanceof Refusal) || no.code === "ticket.wrong_code") return this.refused(no);
      refusal = no;
    }
    // What the patron before brought is not at hand for the next one.
    return this.patron.isAt(contact) && this.showTicket(ticket, refusal);
  }

  /** Lead to the ticket at hand, but never from a line that is being typed. */
  how() {
    return { focus: this.line.isEmpty || !this.line.isTyped, isPatrons: true };
  }

  /** How to get to the ticket from the line, where the cursor stays. */
  wayHere() {
    return this.how().focus ? null : el("p", { class: "small" }, el("kbd", {}, "PgDn"), " leads here from the line.");
  }

  refused(no) {
    this.tell("refusal", no.message);
    this.panel.close();
  }

  showTicket(ticket, refusal) {
    const { shown, claim } = ticket;
    const open = shown.standing === "open";
    const parts = [el("h2", {}, `Ticket ${shown.printed_number}`), this.wayHere()].filter(Boolean);
    if (claim) parts.push(el("p", { class: "done large" }, `Pays ${money(claim.pay_cents)}`), explained(claim));
    else if (refusal) parts.push(el("p", { class: "notice" }, refusal.message), el("p", { class: "small" }, shown.explanation));
    else parts.push(el("p", { class: "notice" }, shown.explanation), shown.standing === "win" ? el("p", {}, NOT_TOLD) : "");
    const needs = claim?.needs ?? [];
    for (const need of needs) parts.push(el("p", { class: "notice" }, need.message));
    const keys = { F2: () => this.playAgain(ticket), F4: () => this.askToVoid(ticket) };
    const mayPay = Boolean(claim);
    if (mayPay) parts.push(this.payForm(ticket, needs));
    if (!needs.length && claim) keys.F9 = () => this.cashAndPlay(ticket);
    const notAtOnce = () => this.tell("notice", "First it is paid, as is asked for here. Then F2 plays it again.");
    const back = BACK[shown.standing];
    if (back) keys.F5 = () => this.askToRefund(ticket, back);
    parts.push(
      choices(
        { key: "F2", text: "Play again", act: keys.F2, quiet: true },
        open && { key: "F4", text: "Void", act: keys.F4, quiet: true },
        back && { key: "F5", text: back, act: keys.F5, quiet: true },
        keys.F9 && { key: "F9", text: "Cash and play again", act: keys.F9, quiet: true },
        { key: "F8", text: "Print again", act: () => this.askToReprint(ticket), quiet: true },
        { key: "Esc", text: "Close", act: () => this.panel.close(), quiet: true },
      ),
    );
    keys.F8 = () => this.askToReprint(ticket);
    const { focus, isPatrons } = this.how();
    this.panel.show(parts, { F9: notAtOnce, ...keys }, { focus: focus && Boolean(mayPay), isPatrons });
    this.showPicture(shown.number, shown.printed_number);
  }

  /** The form by which a ticket is paid: nothing to fill in, most of the time, but Enter. */
  payForm(ticket, needs) {
    const codes = new Set(needs.map((need) => need.code));
    const supervisor = [...codes].some((code) => SUPERVISOR.has(code));
    const form = el(
      "form",
      { class: "stack" },
      ticket.code.includes("?") ? el("label", {}, "Why not all of its code can be read ", el("input", { name: "reason", required: true })) : null,
      codes.has(TAX) ? this.taxFields(ticket) : null,
      supervisor ? personFields("approval", "Supervisor") : null,
      codes.has(MANAGER) ? personFields("manager", "Manager outside keno") : null,
      el("details", {}, el("summary", {}, "By check"), el("label", {}, "Check number ", el("input", { name: "check.number" })), el("label", {}, "Payee ", el("input", { name: "check.payee" }))),
      el("button", {}, `Enter: pay ${money(ticket.claim.pay_cents)}`),
    );
    onceAtATime(form, async () => {
      try {
        await this.pay(ticket, readForm(form));
      } catch (no) {
        this.tell("refusal", no.message);
      }
    });
    return form;
  }

  /** Fewer than eight digits can be read: paid by others to somebody known, and not looked up here. */
  askToPayUnread(number) {
    const form = el(
      "form",
      { class: "stack" },
      el("label", {}, "Why its code cannot be read ", el("input", { name: "reason", required: true })),
      el(
        "fieldset",
        {},
        el("legend", {}, "Patron"),
        el("label", {}, "Name ", el("input", { name: "patron.name", required: true, autocomplete: "off" })),
        el("label", {}, "Document ", el("input", { name: "patron.document", required: true, autocomplete: "off" })),
      ),
      personFields("approval", "Supervisor"),
      personFields("manager", "Manager outside keno"),
      el("button", {}, "Enter: pay it"),
    );
    onceAtATime(form, async () => {
      try {
        const said = { code: null, contact: this.patron.contact, ...readForm(form) };
        const paid = await act(`/api/v1/tickets/${number}/pay`, said);
        this.patron.note(`Paid ${printedNumber(paid.number)}: ${money(paid.pay_cents)}`, paid.contact);
        this.tell("done", `Pay ${money(paid.pay_cents)}`);
        this.panel.close();
        this.desk.lookNow();
      } catch (no) {
        this.tell("refusal", no.message);
      }
    });
    this.panel.show([el("h2", {}, `Ticket ${number}: its code cannot be read`), form], {}, { isPatrons: true });
  }

  taxFields(ticket) {
    const games = ticket.claim.papers.map((paper) => paper.game).join(", ");
    return el(
      "fieldset",
      {},
      el("legend", {}, `Tax paper for game ${games}`),
      el("label", {}, "Patron's name ", el("input", { name: "tax.name", required: true, autocomplete: "off" })),
      el("label", {}, "Taxpayer number ", el("input", { name: "tax.taxpayer_number", required: true, autocomplete: "off" })),
    );
  }

  async pay(ticket, { tax, ...said }, pressed = performance.now()) {
    const { number, code } = ticket;
    const ask = (what, body) => act(`/api/v1/tickets/${number}/${what}`, body, newRequestId(), pressed);
    const contact = this.patron.contact;
    const approval = said.approval;
    for (const paper of tax ? [...ticket.claim.papers] : []) {
      await ask("tax-paper", { game: paper.game, ...tax, code, approval, contact });
      ticket.claim.papers = ticket.claim.papers.filter((other) => other !== paper); // whatever becomes of the rest
    }
    const paid = await ask("pay", { code, contact, ...said });
    this.patron.note(`Paid ${ticket.shown.printed_number}: ${money(paid.pay_cents)}`, paid.contact);
    this.tell("done", `Pay ${money(paid.pay_cents)}`);
    this.panel.close();
    this.desk.lookNow();
    return paid;
  }

  playAgain(ticket) {
    this.line.recall(ticket.shown);
    this.panel.close();
  }

  /** Cash this and play it again: two acts, one net amount. */
  async cashAndPlay(ticket) {
    const [contact, pressed] = [this.patron.contact, performance.now()];
    let paid = "";
    try {
      const heard = await this.hearAgain(ticket.shown);
      paid = `Pay ${money((await this.pay(ticket, {}, pressed)).pay_cents)}.`;
      const left = await this.replay(ticket.shown, heard, contact, pressed);
      if (left) this.tell("done", paid, left);
    } catch (no) {
      this.tell("refusal", ...(paid ? [paid, "It is not played again:"] : []), no.message);
    }
  }

  askToVoid(ticket) {
    this.voiding = false;
    this.askWhy(`Void ticket ${printedNumber(ticket.number)}`, "The patron changed their mind", !ticket.code, async (said) => {
      const done = await act(`/api/v1/tickets/${ticket.number}/void`, { code: ticket.code, contact: this.patron.contact, ...said });
      this.patron.note(`Void: ${money(done.back_cents)} back`, done.contact);
      this.tell("done", `Give back ${money(done.back_cents)}`);
    });
  }

  askToRefund(ticket, what) {
    this.askWhy(`${what}: ticket ${printedNumber(ticket.number)}`, what, !ticket.code, async (said) => {
      const done = await act(`/api/v1/tickets/${ticket.number}/refund`, { code: ticket.code, contact: this.patron.contact, ...said });
      this.patron.note(`Refund: ${money(done.back_cents)}`, done.contact);
      this.tell("done", `Give back ${money(done.back_cents)}`);
    });
  }

  askToReprint(ticket) {
    this.askWhy(`Print ticket ${printedNumber(ticket.number)} again`, "Torn", false, async (said) => {
      const done = await act(`/api/v1/tickets/${ticket.number}/reprint`, said);
      this.tell("done", `Copy ${done.copy} is queued; it is paid only with a supervisor.`);
    });
  }

  /** Ask for a reason, and for a supervisor or a manager where one must be or is asked for. */
  askWhy(title, reason, supervisor, done, manager = false) {
    const form = el(
      "form",
      { class: "stack" },
      el("label", {}, "Why ", el("input", { name: "reason", required: true, value: reason })),
      supervisor ? personFields("approval", "Supervisor") : null,
      manager ? personFields("manager", "Manager outside keno") : null,
      el("button", {}, "Enter: do it"),
    );
    onceAtATime(form, async () => {
      const said = readForm(form);
      try {
        await done(said);
        this.panel.close();
        this.desk.lookNow();
      } catch (no) {
        if (SUPERVISOR.has(no.code) && !supervisor) {
          this.askWhy(title, said.reason, true, done, manager);
          this.tell("notice", no.message);
        } else if (no.code === MANAGER && !manager) {
          this.askWhy(title, said.reason, supervisor, done, true);
          this.tell("notice", no.message);
        } else this.tell("refusal", no.message);
      }
    });
    const how = this.how();
    this.panel.show([el("h2", {}, title), this.wayHere(), form].filter(Boolean), {}, how);
    if (how.focus) form.querySelector("input").select();
  }
}

/** Have a form do something once, however often Enter is pressed meanwhile. */
function onceAtATime(form, does) {
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    try {
      await does();
    } finally {
      busy = false;
    }
  });
}

function explained(claim) {
  const lines = claim.games.flatMap((game) => [
    el("dt", {}, `${game.game}: ${money(game.win_cents)}`),
    ...game.explanation.map((text) => el("dd", {}, text)),
  ]);
  return el("details", { open: claim.games.length < 3 }, el("summary", {}, "How it comes about"), el("dl", { class: "help" }, ...lines));
}
