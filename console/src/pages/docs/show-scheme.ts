/**
 * Shows a document in the colours that the console has. By itself it follows the system, and a person may have chosen
 * otherwise here; so its rules for a dark system are made to hold, or not to.
 */
export function showScheme(inner: Document, scheme: 'light' | 'dark'): void {
  const dark = scheme === 'dark';
  inner.documentElement.style.colorScheme = scheme;
  for (const sheet of inner.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!('media' in rule)) continue;
      const { media } = rule as CSSMediaRule;
      if (/prefers-color-scheme:\s*dark/.test(media.mediaText)) media.mediaText = dark ? 'all' : 'not all';
    }
  }
  // The API reference keeps its colours in a class.
  if (/\b(?:light|dark)-mode\b/.test(inner.body.className)) {
    inner.body.classList.toggle('dark-mode', dark);
    inner.body.classList.toggle('light-mode', !dark);
  }
}
