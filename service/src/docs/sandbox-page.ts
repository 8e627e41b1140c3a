import {
  demoEmail,
  sandboxLines,
  sandboxOutcome,
  sandboxRecipes,
  sandboxSetup,
} from '@renderkit/contract/v1/sandbox.ts';
import { escapeHtml, page, prose } from './page.ts';

/** Explains how to get every answer on purpose, with an anchor for each. docs/sandbox.md has the same content. */
export function sandboxPage(): string {
  const index = sandboxRecipes.map(({ id }) => `<li><a href="#${id}">${id}</a></li>`).join('\n');
  const sections = sandboxRecipes.map(
    (recipe) => `<section id="${recipe.id}">
<h2><a href="#${recipe.id}">${escapeHtml(recipe.title)}</a></h2>
<p>${prose(recipe.note)}</p>
<pre><code>${escapeHtml(sandboxLines(recipe).join('\n'))}</code></pre>
<p class="todo">${prose(sandboxOutcome(recipe))}</p>
</section>`,
  );
  return page(
    '/docs/sandbox',
    'Renderkit: sandbox',
    `<main>
<h1>Sandbox</h1>
<p class="lead">Every answer on demand, so that a client can be tried with all of them.</p>
<p>${prose('Everything can be pasted into a shell, after the lines below. The commands are for whoever runs the installation, in its folder; the rest is for whoever has a key. `$KEY` is an API key, `$EMAIL` the address of its account: on an installation as it comes `' + demoEmail + '`, whose key the first start showed. Commands after the last request make everything as it was.')}</p>
<pre id="setup"><code>${escapeHtml(sandboxSetup.join('\n'))}</code></pre>
<p>${prose('Models whose names begin with `sandbox-` are made for this and cost a credit. `internal_error` is missing: nothing provokes it.')}</p>
<nav aria-label="Answers"><ul>
${index}
</ul></nav>
${sections.join('\n')}
</main>`,
  );
}
