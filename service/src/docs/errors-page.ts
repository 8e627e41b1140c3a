import { problemCodeNames, problemCodes } from '@renderkit/contract/v1/problem-codes.ts';
import { sandboxRecipes } from '@renderkit/contract/v1/sandbox.ts';
import { page, prose } from './page.ts';

const provoked = new Set(sandboxRecipes.map(({ id }) => id));

/** Lists every error code. Each has an anchor with its name, to which the `type` of a problem links. */
export function errorsPage(): string {
  const index = problemCodeNames.map((code) => `<li><a href="#${code}">${code}</a></li>`).join('\n');
  const sections = problemCodeNames.map((code) => {
    const { status, title, retryable, meaning, whatToDo } = problemCodes[code];
    return `<section id="${code}">
<h2><a href="#${code}"><code>${code}</code></a> <span class="status">${status} ${title} · ${retryable ? 'worth another try' : 'the same again gets the same answer'}</span></h2>
<p>${prose(meaning)}</p>
<p class="todo">${prose(whatToDo)}</p>
${provoked.has(code) ? `<p class="aside"><a href="/docs/sandbox#${code}">How to get it on purpose</a></p>\n` : ''}</section>`;
  });
  return page(
    '/docs/errors',
    'Renderkit: errors',
    `<main>
<h1>Errors</h1>
<p class="lead">${prose('A refusal is a problem document (RFC 9457) of type `application/problem+json`. Decide by its `code`; its `type` leads here.')}</p>
<nav aria-label="Codes"><ul>
${index}
</ul></nav>
${sections.join('\n')}
</main>`,
  );
}
