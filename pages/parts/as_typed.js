/* Hands what stands in a text field to the server before the field is left; Streamlit does so only afterwards.

   A field of the New debate form (a key that begins with `n.`) and of a gate (`gate-`): once typing pauses, so that a
   reload or a crash loses none of it and what counts it follows. Any field: as the pointer goes down elsewhere, and
   before Escape closes what the field stands in. A link of the navigation changes the page before it takes the focus,
   and what is handed over after that leads back to the page that was left. */

const PAUSE = 700;
const AS_ONE_TYPES = '[class*="st-key-n-"], [class*="st-key-gate-"]';
const FIELDS = "textarea, .stTextInput input, .stNumberInput input";

export default function () {
  let pending = null;
  let timer;
  const handOver = () => {
    clearTimeout(timer);
    const field = pending;
    pending = null;
    if (field?.isConnected) field.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };
  const typed = (event) => {
    if (!event.target.matches(FIELDS)) return;
    pending = event.target;
    clearTimeout(timer);
    if (!event.isComposing && pending.closest(AS_ONE_TYPES)) timer = setTimeout(handOver, PAUSE);
  };
  const pressed = (event) => {
    if (pending && !pending.contains(event.target)) handOver();
  };
  const escaping = (event) => {
    if (event.key === "Escape" && !event.isComposing) handOver();
  };
  document.addEventListener("input", typed);
  document.addEventListener("keydown", escaping, true);
  document.addEventListener("pointerdown", pressed, true);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("input", typed);
    document.removeEventListener("keydown", escaping, true);
    document.removeEventListener("pointerdown", pressed, true);
  };
}
