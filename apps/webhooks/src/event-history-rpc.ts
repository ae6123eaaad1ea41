import type { CommitReader } from '@tidings/event-store';
import type { WebhookEvent } from '@tidings/events';
import type { EventHistory } from '@tidings/rpc';
import type { Logger } from '@tidings/runtime';
import type { DueEvent } from './events/due-event.ts';
import type { EventMaker } from './events/make.ts';
import { eventsIn } from './streams/feed.ts';
import { webhooksLogOf } from './webhook-log.ts';

const COMMITS_AT_ONCE = 4;
const EVENTS_AT_ONCE = 500;
/** Clocks of processes differ. */
const MARGIN_MS = 60_000;

export interface EventHistoryDeps {
  readonly commits: Pick<CommitReader<WebhookEvent>, 'after' | 'newest' | 'newestBefore'>;
  readonly maker: EventMaker;
  readonly log: Logger;
}

export function eventHistoryRpc({ commits, maker, log }: EventHistoryDeps): EventHistory {
  const made = async (account: string, due: readonly DueEvent[]): Promise<Buffer[]> => {
    const events = await maker.make(account, due);
    const failed = events.filter((event) => event instanceof Error);
    if (failed.length > 0) log.error({ err: failed[0], events: failed.length }, 'events cannot be made');
    return events.flatMap((event) => (event && !(event instanceof Error) ? [Buffer.from(event.bytes)] : []));
  };
  return {
    async *read({ account, application, since, until }) {
      const [from, to] = [since!.getTime() / 1000, until!.getTime() / 1000];
      const name = webhooksLogOf(account);
      const end = await commits.newest(name);
      // An event is committed after it happened.
      let position = await commits.newestBefore(name, new Date(since!.getTime() - MARGIN_MS));
      while (position < end) {
        const found = await commits.after(name, position, COMMITS_AT_ONCE);
        if (found.length === 0) return;
        position = found.at(-1)!.position;
        const due = found
          .filter((commit) => commit.position <= end)
          .flatMap((commit) => [...eventsIn(commit)])
          .filter(({ enqueued, at }) => enqueued.application === application && at >= from && at < to);
        for (let first = 0; first < due.length; first += EVENTS_AT_ONCE)
          yield { events: await made(account, due.slice(first, first + EVENTS_AT_ONCE)) };
      }
    },
  };
}
