import { readFile } from 'node:fs/promises';
import { eventDescriptions, eventTypes } from '@renderkit/contract/v1/event-types.ts';
import { deliveryHeaders, deliveryUserAgent } from '@renderkit/contract/v1/headers.ts';
import {
  maxPingsPerMinute,
  webhookSignatureToleranceSeconds,
  webhookTimeoutSeconds,
} from '@renderkit/contract/v1/limits.ts';
import { attemptDelaySeconds } from '../webhooks/retry-schedule.ts';
import { escapeHtml, page, prose } from './page.ts';

const samples = [
  { id: 'node', name: 'Node', file: 'verify.mjs' },
  { id: 'python', name: 'Python', file: 'verify.py' },
  { id: 'go', name: 'Go', file: 'verify.go' },
  { id: 'shell', name: 'Shell', file: 'verify.sh' },
];

/** Explains how to receive events (docs/api.md §6): their content, how to check them, when they are retried. */
export async function webhooksPage(): Promise<string> {
  const codes = await Promise.all(
    samples.map(async ({ id, name, file }) => {
      const code = await readFile(new URL(`verify-webhook/${file}`, import.meta.url), 'utf8');
      return `<h3 id="${id}">${name}</h3>\n<pre><code>${escapeHtml(code.trimEnd())}</code></pre>`;
    }),
  );
  return page(
    '/docs/webhooks',
    'Renderkit: webhooks',
    `<main>
<h1>Webhooks</h1>
<p class="lead">${prose('Instead of asking whether a generation has finished, be told. Each event is a POST of JSON to the https addresses that you chose.')}</p>
<section id="events">
<h2>Events</h2>
${eventTable()}
<p>${prose('`data` is the Generation or the Upload as it stood at that moment. A generation some of whose outputs are missing has succeeded, and says `partial_failure` in its `error`. Canceling sends nothing. A `ping` reaches an endpoint whatever it subscribes to, and though it be paused.')}</p>
</section>
<section id="request">
<h2>The request</h2>
${table(
  ['Header', 'Value'],
  [
    [`\`${deliveryHeaders.event}\``, 'The type of the event, as in the body.'],
    [`\`${deliveryHeaders.delivery}\``, 'Id of the delivery (`dlv_…`), the same on every attempt.'],
    [`\`${deliveryHeaders.signature}\``, '`t=<Unix seconds>,v1=<signature>`, made anew for each attempt.'],
    ['`User-Agent`', `\`${deliveryUserAgent}\``],
  ],
)}
<p>${prose(`Answer with any 2xx within ${webhookTimeoutSeconds} seconds, before you do the work: what comes later, a redirect, and every other status count as a failure. Of an answer's body only the beginning is kept, for you to look at.`)}</p>
</section>
<section id="verify">
<h2>Check the signature</h2>
<p>${prose(`\`v1\` is the HMAC-SHA256, in lower-case hexadecimal, of \`t\`, a dot and the raw body, under the whole secret, \`whsec_\` included. Compute it over the bytes as they came, before any JSON parser has touched them, compare in constant time, and refuse what is more than ${webhookSignatureToleranceSeconds} seconds from your clock. For a day after a secret was rotated there are two \`v1\`, of the old secret and then of the new one: look at every one of them, and take the request if any matches.`)}</p>
${codes.join('\n')}
</section>
<section id="schedule">
<h2>When it is tried again</h2>
${scheduleTable()}
<p>${prose(`The delay counts from the end of the attempt before. After the last one the delivery has failed; it can still be sent again by hand, as can all that failed since a given time. A test that fails is tried again too, and does not mark its endpoint as failing; an endpoint can have ${maxPingsPerMinute.endpoint} tests in a minute. A paused endpoint is sent nothing; what is pending goes on when it is active again.`)}</p>
</section>
<section id="duplicates">
<h2>Order and duplicates</h2>
<p>${prose("Events may arrive out of order, and now and then twice: an attempt whose answer was lost on the way is made again. Keep the `id` of each event that you have handled (or the delivery's), under a unique index, and drop what is there already.")}</p>
<p>${prose('For order go by `created_at`, not by arrival; where the latest state matters, read the generation again: `GET /v1/generations/{id}`. A generation has one event at most, its last word.')}</p>
</section>
</main>`,
  );
}

function eventTable(): string {
  return table(
    ['Type', 'Sent when'],
    eventTypes.map((type) => [`\`${type}\``, eventDescriptions[type]]),
  );
}

function scheduleTable(): string {
  let total = 0;
  const rows = attemptDelaySeconds.map((seconds, i) => {
    total += seconds;
    return [String(i + 1), seconds === 0 ? 'at once' : durationText(seconds), durationText(total)];
  });
  return table(['Attempt', 'After the one before', 'In all, at least'], rows);
}

function durationText(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.round((seconds % 3600) / 60);
  return [hours > 0 && `${hours} h`, (minutes > 0 || hours === 0) && `${minutes} min`]
    .filter(Boolean)
    .join(' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: 'th' | 'td', row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${prose(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n<thead>${cells('th', head)}</thead>\n<tbody>\n${rows.map((row) => cells('td', row)).join('\n')}\n</tbody>\n</table>`;
}
