import { targetsOf } from '@tidings/audience';
import type { Commit } from '@tidings/event-store';
import { topicNames } from '@tidings/events';
import type { AccountEvent } from '@tidings/events/generated/tidings/events/v1/accounts';
import { Fault } from '@tidings/kernel';
import { ApplicationView, TokenView } from '@tidings/rpc';
import type { OutRecord } from '@tidings/streaming';
import { applicationView } from '../applications/view.ts';
import { tokenView } from '../tokens/view.ts';
import type { AccountStore } from './store.ts';

export interface ConfigurationRecords {
  readonly topic: string;
  readonly records: readonly OutRecord[];
}

/** The newest commit that changed each application, and each token. */
function changedIn(commits: readonly Commit<AccountEvent>[]) {
  const applications = new Map<string, number>();
  const tokens = new Map<string, number>();
  for (const { n, events } of commits) {
    for (const target of events.flatMap(targetsOf)) {
      if (target.kind === 'application') applications.set(target.code, n);
      if (target.kind === 'token') tokens.set(target.id, n);
    }
  }
  return { applications, tokens };
}

function current<State extends { readonly rev: number }>(
  wanted: ReadonlyMap<string, number>,
  idOf: (state: State) => string,
  states: readonly State[],
): State[] {
  const fresh = states.filter((state) => state.rev >= (wanted.get(idOf(state)) ?? 0));
  if (fresh.length < wanted.size) throw Fault.unavailable('the states of a commit are not written yet');
  return fresh;
}

/**
 * What became of the applications and tokens that commits of one account's log changed, whole: readers of compacted topics need no history.
 * Throws `unavailable` while the states lag behind the commits.
 */
export async function configurationRecords(
  commits: readonly Commit<AccountEvent>[],
  store: AccountStore,
): Promise<readonly ConfigurationRecords[]> {
  const changed = changedIn(commits);
  const [applications, tokens] = await Promise.all([
    store.applications([...changed.applications.keys()]),
    store.tokens([...changed.tokens.keys()]),
  ]);
  return [
    {
      topic: topicNames.applications,
      records: current(changed.applications, ({ code }) => code, applications).map((application) => ({
        key: application.code,
        value: ApplicationView.encode(applicationView(application)).finish(),
      })),
    },
    {
      topic: topicNames.tokens,
      records: current(changed.tokens, ({ id }) => id, tokens).map((token) => ({
        key: token.id,
        value: TokenView.encode(tokenView(token)).finish(),
      })),
    },
  ].filter(({ records }) => records.length > 0);
}
