import { typefaceRule } from './typeface.ts';

/** The look of the sign-in pages: the console's colours and typeface, one card, no external files. */
export const style = `
${typefaceRule}
:root {
  color-scheme: light dark;
  --paper: #f6f7f7; --card: #fff; --ink: #1c2024; --soft: #5b626b; --line: #dcdfe2; --field: #fff; --field-line: #8b939c;
  --accent: #0b6e6e; --on-accent: #fff; --accent-strong: #095a5a; --tint: #e9f3f2; --bad: #b42318; --bad-tint: #fdf0ee;
  --shadow: 0 1px 2px rgb(16 24 32 / .05), 0 12px 32px -12px rgb(16 24 32 / .16);
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #101316; --card: #181c20; --ink: #e8eaec; --soft: #a2a9b2; --line: #2b3137; --field: #121619; --field-line: #6d7680;
    --accent: #5cc8c1; --on-accent: #06201f; --accent-strong: #7ad6d0; --tint: #17292a; --bad: #ff9a8d; --bad-tint: #331b19;
    --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 16px 40px -16px rgb(0 0 0 / .6);
  }
}
* { box-sizing: border-box; }
html { height: 100%; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100%; display: grid; grid-template-rows: 1fr auto; justify-items: center; gap: 1.5rem;
  padding: clamp(1.5rem, 9vh, 6rem) 1rem 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 "Figtree Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
main { width: 100%; max-width: 25rem; min-width: 0; }
.brand { display: flex; align-items: center; justify-content: center; gap: .6rem; margin: 0 0 1.5rem; font-weight: 650;
  letter-spacing: -.01em; font-size: 1.05rem; }
.brand svg { width: 2rem; height: 2rem; display: block; }
.brand span { color: var(--soft); font-weight: 450; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; box-shadow: var(--shadow);
  padding: clamp(1.25rem, 6vw, 2rem); }
h1 { margin: 0; font-size: 1.4rem; line-height: 1.25; letter-spacing: -.02em; text-wrap: balance; overflow-wrap: anywhere; }
p { margin: .5rem 0 0; overflow-wrap: anywhere; }
/* An e-mail address stays whole where there is room for it. */
p b { display: inline-block; max-width: 100%; }
.lead { color: var(--soft); }
form { margin: 0; }
.fields { margin: 1.5rem 0 0; display: grid; gap: 1.1rem; }
label { display: block; font-weight: 550; font-size: .925rem; }
input { display: block; width: 100%; margin-top: .35rem; padding: .6rem .75rem; min-height: 2.75rem; border-radius: .45rem;
  border: 1px solid var(--field-line); background: var(--field); color: var(--ink); font: inherit; }
input[aria-invalid="true"] { border-color: var(--bad); }
.hint { display: block; margin-top: .35rem; color: var(--soft); font-size: .85rem; font-weight: 400; }
.wrong { display: block; margin-top: .35rem; color: var(--bad); font-size: .875rem; font-weight: 450; }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .6rem 1rem; border-radius: .45rem; border: 1px solid transparent;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--accent-strong); }
button.plain, .button.plain { background: none; border-color: var(--field-line); color: var(--ink); }
button.plain:hover, .button.plain:hover { background: var(--tint); }
button.link { display: inline; width: auto; min-height: 0; padding: 0; border: 0; border-radius: .2rem; background: none;
  color: var(--accent); font-weight: 500; text-decoration: underline; text-underline-offset: .2em; }
button.link:hover { background: none; color: var(--accent-strong); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
input:focus-visible { outline-offset: 0; border-color: var(--accent); }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--accent-strong); }
.actions { margin-top: 1.5rem; display: grid; gap: .65rem; }
.note { margin-top: 1.25rem; padding: .7rem .85rem; border-radius: .45rem; background: var(--tint); font-size: .925rem; }
.note.bad { background: var(--bad-tint); color: var(--bad); }
input[readonly] { background: var(--paper); border-color: var(--line); color: var(--soft); }
.terms { margin-top: 1.5rem; font-size: .925rem; }
.asks { margin: 1.25rem 0 0; padding: 0; list-style: none; border-top: 1px solid var(--line); }
.asks li { display: grid; grid-template-columns: 1.15rem 1fr; gap: .75rem; padding: .8rem 0; border-bottom: 1px solid var(--line); }
.asks svg { width: 1.15rem; height: 1.15rem; margin-top: .2rem; color: var(--accent); }
.asks strong { display: block; font-weight: 600; font-size: .95rem; }
.asks span { color: var(--soft); font-size: .9rem; }
.terms + .asks { margin-top: .5rem; border: 0; }
.terms + .asks li { padding: .3rem 0; border: 0; }
.who { display: grid; gap: .1rem; margin-top: 1.25rem; padding: .7rem .85rem; border-radius: .45rem; background: var(--tint); font-size: .925rem; }
.who b { font-weight: 600; overflow-wrap: anywhere; }
.soft { color: var(--soft); overflow-wrap: anywhere; }
.aside { margin: 1.25rem 0 0; text-align: center; color: var(--soft); font-size: .925rem; }
.small { color: var(--soft); font-size: .85rem; }
code { font: .85em ui-monospace, "SF Mono", Menlo, Consolas, monospace; background: var(--tint); border-radius: .3em; padding: .1em .35em;
  overflow-wrap: anywhere; }
footer { color: var(--soft); font-size: .85rem; text-align: center; overflow-wrap: anywhere; }
@media (forced-colors: active) { button, .button, .card, .note { border: 1px solid; } }
`;
