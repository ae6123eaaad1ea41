import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DeploymentKeys } from './master-key.ts';

/** The parameters of every service; the host (embedded or distributed) provides them. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The service's own database. */
  readonly db: Db;
  readonly keys: DeploymentKeys;
}
