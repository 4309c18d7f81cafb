// A scanner types 36 digits and Enter, wherever the cursor is. The digits are taken back out of the
// fields they fell into, and the ticket is handed on; several in a row wait their turn (X-ticket-barcode).
// Outside of a field it is known by typing faster than anyone; in one, nobody else types so many digits,
// and a scanner on a slow line is heard too.

const DIGITS = 36;
const NUMBER_DIGITS = 11;
const GAP_MS = 60;
// What scanners can be set to send before a code, by its kind (AIM identifiers).
const CODE = new RegExp(`(?:\\](?:C[01]|Q[0-9]))?([0-9]{${DIGITS}})$`);
const LONGEST = DIGITS + 3;

export function listenForScans(onScan) {
  let typed = []; // each key, with the field that it fell into and what stood there before it
  let last = 0;
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const now = event.timeStamp; // when the key was pressed, however busy the page is
      if (now - last > GAP_MS) typed = [];
      if (event.key !== "Enter") {
        if (event.key.length !== 1) return;
        const field = document.activeElement;
        typed = [...typed, { key: event.key, field, before: field?.value }].slice(-LONGEST);
        last = now;
        return;
      }
      const quick = CODE.exec(typed.map(({ key }) => key).join(""));
      const found = quick ?? CODE.exec(beforeCursor(document.activeElement));
      const keys = typed;
      typed = [];
      if (!found) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (quick) putBack(keys.slice(quick.index));
      else takeOut(found[0]);
      onScan({ number: Number(found[1].slice(0, NUMBER_DIGITS)), code: found[1].slice(NUMBER_DIGITS) });
    },
    true,
  );
}

function beforeCursor(field) {
  return typeof field?.value === "string" ? field.value.slice(0, field.selectionStart ?? undefined) : "";
}

/** Put back what stood in each field before the first digit fell into it, also if the cursor went on. */
function putBack(keys) {
  const first = new Map();
  for (const { field, before } of keys) if (!first.has(field)) first.set(field, before);
  for (const [field, before] of first) {
    if (typeof before === "string" && field.value !== before) change(field, before);
  }
}

/** Take what was scanned out of the field that it was typed into, slowly. */
function takeOut(text) {
  const field = document.activeElement;
  if (field.value.includes(text)) change(field, field.value.replace(text, ""));
}

function change(field, value) {
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
