/* Scrolls to the part that a step of the tour speaks of and outlines it; the outline goes with the step. */

const PATIENCE = 6000; // milliseconds in which the part may still be drawn
const GAP = 16; // pixels between the tour's box and the part

let shown = null; // the step that was scrolled to last: a redraw of the page does not scroll again
let marked = null;
let timer;

export default function ({ data }) {
  const { step, part } = data;
  const until = Date.now() + PATIENCE;
  const look = () => {
    const found = part ? document.querySelector(part) : null;
    if (found !== marked) unmark();
    if (!found || marked) return;
    marked = found;
    found.setAttribute("data-tour", "");
    if (shown !== step) reach(found);
    shown = step;
  };
  clearInterval(timer);
  timer = setInterval(() => (Date.now() > until ? clearInterval(timer) : look()), 150);
  look();
  return () => {
    clearInterval(timer);
    unmark();
  };
}

function unmark() {
  marked?.removeAttribute("data-tour");
  marked = null;
}

function reach(part) {
  const main = document.querySelector('[data-testid="stMain"]');
  const header = document.querySelector('[data-testid="stHeader"]')?.getBoundingClientRect().bottom ?? 0;
  const box = document.querySelector(".st-key-tour")?.getBoundingClientRect().height ?? 0;
  const place = part.getBoundingClientRect();
  const top = header + box + GAP;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (place.top >= top && place.bottom <= innerHeight) return;
  main.scrollBy({ top: place.top - top, behavior: calm ? "auto" : "smooth" });
}
