import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DeploymentKeys } from './master-key.ts';

/** What every service is opened with; where it comes from (embedded or distributed) is the host's business. */
export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  /** The service's own database. */
  readonly db: Db;
  readonly keys: DeploymentKeys;
}
