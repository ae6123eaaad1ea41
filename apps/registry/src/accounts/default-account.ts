import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_ACCOUNT } from '@tidings/audience';
import type { Clock } from '@tidings/kernel';
import { faultOf } from '@tidings/mongo';
import type { AccountWriter } from './writer.ts';

/** Between tries that the store left unanswered. */
const PAUSE_MS = 500;
/** With the seconds that each try waits for its answer, about a minute and a half. */
const TRIES = 30;

/**
 * Creates the account `default` where there is none. Repeats what the store leaves unanswered, since a service that starts on a busy server
 * waits for it; a repeat changes nothing where the try before was carried out.
 * @throws what the last try threw
 */
export async function createDefaultAccount(write: AccountWriter, clock: Clock): Promise<void> {
  const action = { type: 'createAccount', name: 'Default' } as const;
  for (let tries = 1; ; tries++) {
    try {
      await write({ account: DEFAULT_ACCOUNT, action, at: new Date(clock.now()) });
      return;
    } catch (error) {
      if (faultOf(error).kind !== 'unavailable' || tries === TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}
