/* Popovers, dialogs and drawers stand outside the app's own element, where the page does not say whether it is dark:
   `light-dark()` would give them the colours of a light page. So the document is told what the app is. */

export default function () {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return undefined;
  const tell = () => {
    document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme;
  };
  const watch = new MutationObserver(tell);
  watch.observe(app, { attributes: true, attributeFilter: ["class", "style"] });
  tell();
  return () => watch.disconnect();
}
