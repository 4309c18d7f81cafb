// Where no ticket is taken, a scan does nothing: its code goes into no field, and its Enter sends no form.

import { el } from "./api.js";
import { listenForScans } from "./scan.js";

const told = el("p", { class: "notice", role: "status" });

listenForScans(() => {
  told.textContent = "A ticket was scanned, and nothing was done: tickets are taken on the writer's page.";
  document.getElementById("main").prepend(told);
});
