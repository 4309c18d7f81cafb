// From a draw's record to its twenty numbers, worked out again in the browser (X-draw-public):
// rng/FORMAT.md, "The draw, version 1". Browsers do this only for pages that came over TLS or from
// the machine itself; elsewhere `canDerive` says that it cannot be done.

const WORDS_A_CALL = 32;
const bytes = new TextEncoder();

export const canDerive = () => globalThis.crypto?.subtle !== undefined;

/** Canonical JSON (RFC 8785), of what our documents have: text, whole numbers, lists, objects. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

async function digest(algorithm, document_) {
  return new Uint8Array(await crypto.subtle.digest(algorithm, bytes.encode(canonical(document_))));
}

const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return all;
}

async function hmac(key, data) {
  const how = { name: "HMAC", hash: "SHA-256" };
  const made = await crypto.subtle.importKey("raw", key, how, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", made, data));
}

/** HMAC_DRBG of SP 800-90A, section 10.1.2, with SHA-256: instantiate, and generate 64 bytes. */
class Stream {
  #key = new Uint8Array(32);
  #value = new Uint8Array(32).fill(1);

  async begin(seed) {
    await this.#update(seed);
    return this;
  }

  async #update(provided) {
    for (const step of provided.length ? [0, 1] : [0]) {
      this.#key = await hmac(this.#key, joined(this.#value, [step], provided));
      this.#value = await hmac(this.#key, this.#value);
    }
  }

  async words() {
    const first = await hmac(this.#key, this.#value);
    const second = await hmac(this.#key, first);
    this.#value = second;
    await this.#update(new Uint8Array());
    const view = new DataView(joined(first, second).buffer);
    return Array.from({ length: WORDS_A_CALL }, (_, place) => view.getUint16(2 * place));
  }
}

/**
 * The twenty numbers, in the order drawn, that the intent and the mark of a record give.
 * It fails if the record does not name this intent.
 */
export async function numbersOf(record) {
  const { intent, mark } = record.record.body;
  const hash = hex(await digest("SHA-256", record.intent.body));
  if (hash !== intent) throw new Error("The record names another intent.");
  const said = { intent: hash, label: "keno/draw-seed", mark, version: 1 };
  // The split into entropy input, nonce and personalization is joined again by the standard.
  const stream = await new Stream().begin(await digest("SHA-512", said));
  const balls = Array.from({ length: 80 }, (_, place) => place + 1);
  let words = [];
  for (let place = 0; place < 20; place += 1) {
    const left = 80 - place;
    let word;
    do {
      if (!words.length) words = await stream.words();
      word = words.shift();
    } while (word >= 65536 - (65536 % left));
    const other = place + (word % left);
    [balls[place], balls[other]] = [balls[other], balls[place]];
  }
  return balls.slice(0, 20);
}
