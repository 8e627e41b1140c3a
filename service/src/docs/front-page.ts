import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { page, prose } from './page.ts';

/** The page that a browser shows at the service's address. */
export function frontPage(): string {
  return page(
    '/',
    'Renderkit',
    `<main>
<h1>Renderkit</h1>
<p class="lead">One HTTP API, with keys, budgets and a queue, in front of the engines that render.</p>
<p><a href="${consoleAddresses.home}">Open the console</a> to sign in with your studio account, make keys and pictures.</p>
<p>${prose('The API is under `/v1` and wants a key: `Authorization: Bearer rk_live_…`.')}</p>
<ul>
<li><a href="/docs">The API, operation by operation</a>, and <a href="/openapi.json">as an OpenAPI document</a> for programs</li>
<li><a href="/docs/errors">What each error means, and what to do about it</a></li>
<li><a href="/docs/webhooks">How to be told instead of asking</a></li>
<li><a href="/docs/sandbox">How to get every answer on purpose, for your tests</a></li>
<li><a href="/llms.txt">All of it as plain text, for models</a></li>
<li><a href="/readyz">Whether the service is ready</a></li>
</ul>
</main>`,
  );
}
