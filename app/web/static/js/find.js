// A scanned ticket is looked for by its number: its code is on the paper, and goes into no address.

import { listenForScans } from "./scan.js";

const form = document.querySelector("form.find");
const field = form.elements.q;
const SCAN = /^([0-9]{11})[0-9]{25}$/;

listenForScans(({ number }) => {
  field.value = number;
  form.requestSubmit();
});
form.addEventListener("submit", () => {
  const pasted = SCAN.exec(field.value.replace(/\s/g, ""));
  if (pasted) field.value = Number(pasted[1]);
});
