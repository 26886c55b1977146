/* Tells the server when the person leaves the top of the page and when they are back, and nothing in between. */

const DEEP = 240; // pixels: past the heading and the timeline, into the cards
const PAUSE = 150;

export default function ({ setStateValue }) {
  const main = document.querySelector('[data-testid="stMain"]');
  let deep = false;
  let timer;
  const look = () => {
    if (main.scrollTop > DEEP === deep) return;
    deep = !deep;
    setStateValue("deep", deep);
  };
  const scrolled = () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  };
  main.addEventListener("scroll", scrolled);
  return () => {
    clearTimeout(timer);
    main.removeEventListener("scroll", scrolled);
  };
}
