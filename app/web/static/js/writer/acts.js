// Acts, one after the other, each done once. What is not answered is asked for again under its own id,
// for as long as the patron would wait. After that, after a reload, or when somebody else sits here, it
// is only settled: the centre says that it was done, or sees to it that it never is.

import { NoAnswer, Refusal, newRequestId, post } from "../api.js";

const KEPT = "keno.act";
const AGAIN_MS = 700;
const PATRON_WAITS_MS = 8000;
export const NOT_DONE = "The last act was not done. Do it again if it is still wanted.";
export const BY_ANOTHER = "The last act was done, by another person.";
const TOO_LATE = "This was not done: what came before it took too long. Do it again if it is still wanted.";

let running = Promise.resolve();
let unanswered = false; // the act that runs was asked for, and nothing came back yet
let told = { away() {}, settled() {}, late() {}, practice: false };

/**
 * Say who is told that the centre is away, what an act came to that was settled later, and that one
 * came to something late: another may be right behind it.
 */
export function tellActsTo(others) {
  told = { ...told, ...others };
}

/**
 * Do an act when those before it are done; resolves with its answer, rejects with a refusal.
 *
 * `pressed` is when the writer pressed for it, if that was before: a patron waits from then on.
 */
export function act(path, body, id = newRequestId(), pressed = performance.now()) {
  if (told.practice) {
    return Promise.reject(new Refusal({ code: "practice", title: "Practice: nothing is done." }, 409));
  }
  const done = running
    .then(async () => {
      await settleAnother(id);
      // Those before it waited for the centre: whoever pressed this has long seen that it is away.
      if (performance.now() - pressed > PATRON_WAITS_MS) throw never(TOO_LATE);
      return once(id, path, body, pressed);
    })
    .finally(answered);
  running = done.catch(() => {});
  return done;
}

/** Settle an act that a reload, a crash of the browser or a lost session left behind. */
export function settleWhatIsLeft() {
  const left = keptId();
  if (!left || told.practice) return;
  const settled = running.then(() => settle(left)).finally(answered);
  running = settled.then(({ done, answer }) => told.settled(done, answer)).catch(() => {});
}

/** Whether an act waits for its answer: until then the centre is away, whatever else it answers. */
export const isUnanswered = () => unanswered;

export const isWaiting = () => sessionStorage.getItem(KEPT) !== null;

async function once(id, path, body, began) {
  // Neither what is asked nor anybody's secret or code is kept: to settle it, its id is enough.
  sessionStorage.setItem(KEPT, JSON.stringify({ id }));
  let asked = 0;
  for (;;) {
    try {
      const answer = await post(path, body, id, { patience: PATRON_WAITS_MS });
      sessionStorage.removeItem(KEPT);
      if (asked) told.late();
      return answer;
    } catch (trouble) {
      const isNoAnswer = trouble instanceof NoAnswer;
      asked += 1;
      if (!isNoAnswer) {
        // What was asked before may still be on its way, and be done behind this refusal. Whoever was
        // signed out behind a lost answer is refused here too: it is settled after signing in.
        const settled = asked > 1 ? await settle(id) : { done: false };
        if (settled.done) told.late();
        if (settled.answer) return settled.answer; // none: it was done by another person
        sessionStorage.removeItem(KEPT);
        throw trouble;
      }
      noAnswer(trouble);
      if (performance.now() - began > PATRON_WAITS_MS) {
        const { done, answer } = await settle(id);
        told.late();
        if (answer) return answer;
        throw never(done ? BY_ANOTHER : NOT_DONE);
      }
      await pause();
    }
  }
}

/** Settle what an act before this one may have left, so that nothing is left behind it. */
async function settleAnother(id) {
  const left = keptId();
  if (!left || left === id) return;
  const { done, answer } = await settle(left);
  told.late();
  told.settled(done, answer);
}

function keptId() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT))?.id;
  } catch {
    sessionStorage.removeItem(KEPT); // nobody can read it: nothing can be asked by it
    return null;
  }
}

/** Ask until the centre says what became of an act; then it was done, or it never will be. */
async function settle(id) {
  for (;;) {
    try {
      const settled = await post("/api/v1/acts/settle", {}, id);
      sessionStorage.removeItem(KEPT);
      return settled;
    } catch (trouble) {
      if (!(trouble instanceof NoAnswer)) throw trouble; // signed out: after signing in
      noAnswer(trouble);
      await pause();
    }
  }
}

const never = (title) => new Refusal({ code: "act.never", title }, 409);

function noAnswer({ said }) {
  unanswered = true;
  told.away(true, said);
}

function answered() {
  unanswered = false;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
