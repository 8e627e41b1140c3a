import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { DriverPool } from '@renderkit/studio/backends/driver-pool.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import type { OperatorDatabases } from './open-databases.ts';

/** Opens the drivers for backends, with the worker's settings. */
export function openDrivers({ environments }: OperatorDatabases): DriverPool {
  const { secretKey, egressAllow } = readWorkerConfig(environments.worker);
  const log = createLogger({ part: 'operator', level: 'error' });
  return new DriverPool({ secrets: openBackendSecrets(secretKey), egressAllow, log });
}
