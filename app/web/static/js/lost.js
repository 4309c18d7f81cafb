// A form that is about a ticket whose number is typed into it: the number goes into its address.

for (const form of document.querySelectorAll("form[data-path]")) {
  const number = form.querySelector("[data-number]");
  number.addEventListener("input", () => {
    form.dataset.act = form.dataset.path.replace("{}", encodeURIComponent(number.value.trim()));
  });
}
