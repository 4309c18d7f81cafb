// Keeps a part of a page as things are now:
//
//   <section data-refresh="/inspector/now" data-every="5">
//
// It asks for the part every so many seconds, as nobody at the keys does, and takes it in. It asks
// nothing while nobody can see the page, and says so plainly when the centre does not answer.

const PATIENCE = 10000;
// As a clock on the wall of the house shows it, wherever the browser thinks it is.
const CLOCK = new Intl.DateTimeFormat("en-US", { timeStyle: "medium", timeZone: document.documentElement.dataset.zone });
const FOCUSABLE = "a[href], button, summary, [tabindex]";

async function asked(path) {
  const answer = await fetch(path, {
    headers: { "X-Background": "1", Accept: "text/html" },
    cache: "no-store",
    credentials: "same-origin",
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
  });
  // Whoever is not signed in any more is sent to do so.
  if (answer.type === "opaqueredirect") location.assign(`/?next=${encodeURIComponent(location.pathname)}`);
  if (!answer.ok) throw new Error("no answer");
  return answer.text();
}

/** Take in what was answered; whoever stood somewhere in the old part stands there in the new one. */
function takeIn(section, text) {
  const places = () => [...section.querySelectorAll(FOCUSABLE)];
  const place = places().indexOf(document.activeElement);
  const made = document.createElement("template");
  made.innerHTML = text;
  section.replaceChildren(made.content);
  if (place >= 0) places()[place]?.focus({ preventScroll: true });
  section.dispatchEvent(new CustomEvent("refreshed", { bubbles: true }));
}

/** Whether somebody fills in or copies something: it is not taken from under their hands. */
function isInUse(section) {
  const filled = document.activeElement?.closest("form");
  if (filled && section.contains(filled)) return true;
  if (section.querySelector("details[open] form")) return true;
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && section.contains(selection.anchorNode);
}

export function keepFresh(section) {
  const every = Number(section.dataset.every) * 1000;
  const alarm = document.createElement("p");
  alarm.className = "alarm";
  alarm.setAttribute("role", "alert");
  alarm.hidden = true;
  if (!("silent" in section.dataset)) section.before(alarm); // one of a page says it for all
  const still = document.createElement("p");
  still.className = "small";
  still.setAttribute("role", "status");
  section.before(still);
  let taken = new Date();
  let waiting = 0;
  let isAsking = false;

  async function turn() {
    clearTimeout(waiting);
    if (isAsking || document.hidden) return; // whoever comes back to the page begins again
    isAsking = true;
    try {
      const text = await asked(section.dataset.refresh);
      if (isInUse(section)) {
        still.textContent = `Standing still since ${CLOCK.format(taken)}, while something here is marked or filled in.`;
      } else {
        takeIn(section, text);
        taken = new Date();
        still.textContent = "";
      }
      alarm.hidden = true;
    } catch {
      alarm.textContent = `No connection to the centre: what is shown here is old, from ${CLOCK.format(taken)}.`;
      alarm.hidden = false;
    }
    isAsking = false;
    waiting = setTimeout(turn, every);
  }

  document.addEventListener("visibilitychange", turn);
  waiting = setTimeout(turn, every);
}

for (const section of document.querySelectorAll("[data-refresh]")) keepFresh(section);
