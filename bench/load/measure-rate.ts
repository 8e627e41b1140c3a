import { fileURLToPath } from 'node:url';
import type { Child } from '../child.ts';
import { cpuSeconds } from '../process-usage.ts';
import type { Sample } from '../rounds.ts';
import type { HttpLoad, HttpLoadAnswer } from './http-load.ts';

export function childFile(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Other processes that take part, by their names: seconds of processor time until now. */
export type Beside = Record<string, () => number | undefined>;

/** Measures answers of one status per second under a load. @throws if there was any other answer */
export async function measureRate(
  child: Child,
  load: HttpLoad,
  server: { pid: number; status: number; beside?: Beside },
): Promise<Sample & HttpLoadAnswer> {
  const processes: Beside = { ...server.beside, server: () => cpuSeconds(server.pid) };
  const look = () => Object.entries(processes).map(([name, read]) => [name, read() ?? Number.NaN] as const);
  const before = new Map(look());
  const answer = await child.ask<HttpLoadAnswer>(load);
  const after = look();
  const statuses = Object.keys(answer.statuses);
  if (statuses.length !== 1 || statuses[0] !== String(server.status))
    throw new Error(`answers other than ${server.status}: ${JSON.stringify(answer.statuses)}`);
  const requests = answer.statuses[server.status] as number;
  const { server: own = Number.NaN, ...beside } = Object.fromEntries(
    after.map(([name, seconds]) => [name, ((seconds - (before.get(name) ?? Number.NaN)) / requests) * 1000]),
  );
  return {
    ...answer,
    value: answer.perSecond,
    cpuSeconds: Number.isNaN(own) ? undefined : own,
    besideCpuSeconds: beside,
  };
}
