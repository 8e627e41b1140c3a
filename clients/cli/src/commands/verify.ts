import { buffer } from 'node:stream/consumers';
import { verify } from 'renderkit/webhooks';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';

export const verifyDelivery = command({
  usage: '--secret SECRET --header SIGNATURE < BODY',
  about: 'Checks the signature of a delivery whose body is on stdin; exit code 1 where it is wrong.',
  options: {
    secret: { form: 'SECRET', about: "the endpoint's, whsec_…" },
    header: { form: 'VALUE', about: 'the value of the header Service-Signature' },
    'any-age': { about: 'take old ones too' },
  },
  run: async ({ output }, _words, values) => {
    const { secret, header } = values;
    if (secret === undefined || header === undefined || !secret.startsWith('whsec_'))
      throw new UsageError('Give --secret whsec_… and --header "t=…,v1=…".');
    const headers = { 'service-signature': header.replace(/^service-signature:\s*/i, '') };
    const toleranceSeconds = values['any-age'] === true ? Number.MAX_SAFE_INTEGER : undefined;
    const event = await verify(secret, await buffer(process.stdin), headers, { toleranceSeconds });
    output.result(event, [event.id], () => [`The signature is right: ${event.type} ${event.id}.`]);
  },
});
