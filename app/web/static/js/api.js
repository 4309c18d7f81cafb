// How a page has something done: through the API, once, whatever happens on the way.

const token = document.querySelector('meta[name="page-token"]')?.content ?? "";

/** What the house says no to: a code, and the sentence that a writer reads out. */
export class Refusal extends Error {
  constructor(problem, status) {
    super(problem.title ?? "It was refused.");
    this.code = problem.code ?? "fault";
    this.status = status;
    this.refusals = problem.refusals ?? [{ code: this.code, message: this.message }];
  }
}

/**
 * It is not known whether it was done. The same request id asks again.
 *
 * `said` is what the house said of that, if it answered at all; without it nothing came back.
 */
export class NoAnswer extends Error {
  constructor(message, said) {
    super(said ?? message);
    this.said = said;
  }
}

/** A name that nobody else has; also where a browser has no other way to make one (plain http). */
export function unique(prefix, bytes = 16) {
  const random = crypto.getRandomValues(new Uint8Array(bytes));
  return `${prefix}-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export const newRequestId = () => unique("p");

async function ask(method, path, { body, request, background, signal, patience = 15000 } = {}) {
  const headers = { "X-Page-Token": token };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (request) headers["Idempotency-Key"] = request;
  if (background) headers["X-Background"] = "1";
  const limit = AbortSignal.timeout(patience);
  let answer, text;
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      credentials: "same-origin",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await answer.text();
  } catch (trouble) {
    if (signal?.aborted) throw trouble;
    throw new NoAnswer("The centre does not answer.");
  }
  let document_;
  try {
    document_ = JSON.parse(text);
  } catch {
    throw new NoAnswer("The centre does not answer as it should.");
  }
  if (answer.ok) return document_;
  if (answer.status >= 500) throw new NoAnswer("The centre does not answer.", document_.title);
  if (document_.code === "staff.not_signed_in" || document_.code === "station.not_enrolled") {
    document.dispatchEvent(new CustomEvent("signed-out"));
  }
  if (document_.code === "page.foreign") location.reload(); // somebody else signed in here
  throw new Refusal(document_, answer.status);
}

export const get = (path, options) => ask("GET", path, options);
export const post = (path, body, request = newRequestId(), options = {}) =>
  ask("POST", path, { body, request, ...options });

document.addEventListener("signed-out", () => {
  if (location.pathname === "/") return;
  // With what stands behind it: whoever practises goes on practising.
  location.assign(`/?next=${encodeURIComponent(location.pathname + location.search)}`);
});

export function money(cents) {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.trunc(Math.abs(cents) / 100).toLocaleString("en-US");
  return `${sign}$${whole}.${String(Math.abs(cents) % 100).padStart(2, "0")}`;
}

/** Make an element: el("b", {class: "ball"}, "7"). Text is text, never markup. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
