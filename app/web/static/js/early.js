// A form that scripts send, pressed before they have come: the browser would put whatever was typed, secrets too, into
// an address. It waits, and is sent once `forms.js` is there. No module, so that it is there before any form is.

(() => {
  const waiting = new Set();

  function hold(event) {
    if (event.target.hasAttribute("action")) return; // which the browser itself sends
    event.preventDefault();
    if (event.target.dataset.act) waiting.add(event.target);
  }

  document.addEventListener("submit", hold);

  window.takeHeldForms = () => {
    document.removeEventListener("submit", hold);
    return waiting;
  };
})();
