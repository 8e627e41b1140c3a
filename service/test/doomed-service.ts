import path from 'node:path';
import { type Part, startPart } from '@renderkit/server-kit/testing/part.ts';
import type { Doom } from './doomed-entry.ts';

/** Starts a service as a separate process, which dies or waits at a given point. */
export function startDoomedService(options: {
  doom: Doom;
  databaseUrl: string;
  studioUrl: string;
  secretKey: Buffer;
  egressAllow?: readonly string[];
}): Promise<Part> {
  return startPart({
    name: 'service',
    entry: path.join(import.meta.dirname, 'doomed-entry.ts'),
    arguments: [JSON.stringify(options.doom)],
    environment: {
      DATABASE_URL: options.databaseUrl,
      PORT: '0',
      STUDIO_URL: options.studioUrl,
      STUDIO_CLIENT_ID: 'service',
      STUDIO_CLIENT_SECRET: 'a secret of the test',
      SECRET_KEY: options.secretKey.toString('hex'),
      EGRESS_ALLOW: (options.egressAllow ?? []).join(','),
      LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    },
  });
}
