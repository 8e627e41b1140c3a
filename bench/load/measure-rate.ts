import { fileURLToPath } from 'node:url';
import type { Child } from '../child.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Sample } from '../rounds.ts';
import type { HttpLoad, HttpLoadAnswer } from './http-load.ts';

export function childFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Answers of one status per second under a load. @throws where anything else was answered */
export async function measureRate(
  child: Child,
  load: HttpLoad,
  server: { pid: number; status: number },
): Promise<Sample & HttpLoadAnswer> {
  const before = cpuSeconds(server.pid);
  const answer = await child.ask<HttpLoadAnswer>(load);
  const after = cpuSeconds(server.pid);
  const statuses = Object.keys(answer.statuses);
  if (statuses.length !== 1 || statuses[0] !== String(server.status))
    throw new Error(`answers other than ${server.status}: ${JSON.stringify(answer.statuses)}`);
  const requests = answer.statuses[server.status] as number;
  return {
    ...answer,
    value: answer.perSecond,
    cpuSeconds:
      before === undefined || after === undefined ? undefined : ((after - before) / requests) * 1000,
  };
}
