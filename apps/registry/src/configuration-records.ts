import { setTimeout as delay } from 'node:timers/promises';
import { targetsOf } from '@tidings/audience';
import type { Commit, RelayedRecord } from '@tidings/event-store';
import { topicNames } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { ApplicationView, TokenView } from '@tidings/rpc';
import { applicationView } from './applications/application-view.ts';
import { tokenView } from './tokens/token-view.ts';
import type { AccountStore } from './accounts/account-store.ts';

const STATES_TIMEOUT_MS = 5000;
const PAUSE_MS = 5;

async function statesOf<State extends { readonly rev: number }>(
  read: (ids: readonly string[]) => Promise<State[]>,
  ids: readonly string[],
  position: number,
): Promise<State[]> {
  if (ids.length === 0) return [];
  const until = performance.now() + STATES_TIMEOUT_MS;
  for (;;) {
    const states = await read(ids);
    if (states.length === ids.length && states.every(({ rev }) => rev >= position)) return states;
    if (performance.now() > until) throw Fault.unavailable('The states of a commit are not written yet');
    await delay(PAUSE_MS);
  }
}

/** Complete records: readers of compacted topics need no history. */
export async function configurationRecords(
  { position, events }: Commit<AccountEvent>,
  store: AccountStore,
): Promise<RelayedRecord[]> {
  const targets = events.flatMap(targetsOf);
  const codes = new Set(targets.flatMap((target) => (target.kind === 'application' ? [target.code] : [])));
  const ids = new Set(targets.flatMap((target) => (target.kind === 'token' ? [target.id] : [])));
  const [applications, tokens] = await Promise.all([
    statesOf(store.applicationStates, [...codes], position),
    statesOf(store.tokens, [...ids], position),
  ]);
  return [
    ...applications.map((application) => ({
      topic: topicNames.applications,
      key: application.code,
      value: ApplicationView.encode(applicationView(application)).finish(),
    })),
    ...tokens.map((token) => ({
      topic: topicNames.tokens,
      key: token.id,
      value: TokenView.encode(tokenView(token)).finish(),
    })),
  ];
}
