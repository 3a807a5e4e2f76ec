/** Lets users without a mouse scroll the tables that are wider than the screen, as the generator does for code. */
const tables = document.querySelectorAll(".sl-markdown-content table");

const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const table of tables) observer.observe(table);
