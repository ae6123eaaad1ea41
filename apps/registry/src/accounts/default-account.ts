import { DEFAULT_ACCOUNT } from '@tidings/audience';
import { waitForDependency } from '@tidings/coordination';
import type { Clock } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import type { Logger } from 'pino';
import type { AccountWriter } from './account-writer.ts';

const START_TIMEOUT_MS = 60_000;

export interface DefaultAccountDeps {
  readonly write: AccountWriter;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Waits up to a minute for a busy store. Idempotent. @throws Fault `unavailable` */
export async function createDefaultAccount({ write, clock, log }: DefaultAccountDeps): Promise<void> {
  const action = { type: 'createAccount', name: 'Default' } as const;
  const create = () => write({ account: DEFAULT_ACCOUNT, action, at: new Date(clock.now()) });
  await waitForDependency('mongodb', () => transientAsFault(create), {
    log,
    signal: AbortSignal.timeout(START_TIMEOUT_MS),
  });
}
