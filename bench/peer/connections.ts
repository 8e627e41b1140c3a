import { Redis } from 'ioredis';
import pg from 'pg';
import { settings } from './settings.ts';

export type Addresses = { databaseUrl: string; redisPort: number };

export function openPool({ databaseUrl }: Addresses): pg.Pool {
  return new pg.Pool({ connectionString: databaseUrl, max: settings.poolSize });
}

/** Opens a connection as BullMQ requires; BullMQ opens more for workers that wait for jobs. */
export function openRedis({ redisPort }: Addresses): Redis {
  return new Redis({
    host: '127.0.0.1',
    port: redisPort,
    maxRetriesPerRequest: null,
    enableAutoPipelining: settings.autoPipelining,
  });
}
