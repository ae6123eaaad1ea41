import type { ExclusiveData } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { DeploymentKeys } from './master-key.ts';

export interface ServiceDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly db: Db;
  readonly keys: DeploymentKeys;
  /** @default other processes work on the data, too */
  readonly exclusive?: ExclusiveData | undefined;
}
