/* Hands what stands in a field of the New debate form to the server once typing pauses, so that a reload or a crash
   loses none of it and the estimate follows. Streamlit itself does so only when the field is left. */

const PAUSE = 1000;

export default function () {
  let timer;
  const typed = (event) => {
    const field = event.target;
    if (event.isComposing || !field.matches('[class*="st-key-n-"] textarea, [class*="st-key-n-"] .stTextInput input')) return;
    clearTimeout(timer);
    timer = setTimeout(() => field.dispatchEvent(new FocusEvent("focusout", { bubbles: true })), PAUSE);
  };
  document.addEventListener("input", typed);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("input", typed);
  };
}
