import { messageChunkKey } from '@tidings/delivery';
import type { Commit, CommitReader } from '@tidings/event-store';
import type { EventsEnqueued, SubscriptionSettings, WebhookEvent } from '@tidings/events';
import { Bitmap, sendIdOf } from '@tidings/kernel';
import type { DueEvent } from '../events/due-event.ts';
import { timesOf } from '../facts/delivery-state.ts';
import type { MessageStore } from '../facts/message-store.ts';
import { isSubscribedTo } from '../subscriptions/subscription.ts';
import type { EventPosition, Unacked } from './unacked.ts';

const COMMITS_AT_ONCE = 4;
const MAX_COMMITS = 8;

interface Entry {
  readonly enqueued: EventsEnqueued;
  readonly positions: Uint16Array;
  readonly timeOf: (rank: number) => number;
}

export interface FeedCommit {
  readonly position: number;
  readonly at: number;
  readonly entries: ReadonlyMap<number, Entry>;
}

function entryOf({ event }: WebhookEvent): Entry | undefined {
  if (event?.$case !== 'enqueued') return undefined;
  const enqueued = event.value;
  const positions = Bitmap.decode(enqueued.set).positions();
  return { enqueued, positions, timeOf: timesOf(positions, enqueued.at) };
}

function feedCommit({ position, at, events }: Commit<WebhookEvent>): FeedCommit {
  const entries = new Map<number, Entry>();
  events.forEach((event, e) => {
    const entry = entryOf(event);
    if (entry) entries.set(e, entry);
  });
  return { position, at: at.getTime(), entries };
}

function dueAt({ entries }: FeedCommit, { e, d }: EventPosition): DueEvent | undefined {
  const entry = entries.get(e);
  const position = entry?.positions[d];
  if (!entry || position === undefined) return undefined;
  return { enqueued: entry.enqueued, position, at: entry.timeOf(d) };
}

/** In order. */
export function* eventsIn(commit: Commit<WebhookEvent>): Iterable<DueEvent> {
  for (const { enqueued, positions, timeOf } of feedCommit(commit).entries.values())
    for (let d = 0; d < positions.length; d++) yield { enqueued, position: positions[d]!, at: timeOf(d) };
}

const keyOf = ({ enqueued, position }: DueEvent): string => keyAt(messageChunkKey(enqueued), position);

const keyAt = (chunk: string, position: number): string => `${chunk}/${position}`;

type CampaignOf = (enqueued: EventsEnqueued) => string;

const noCampaign: CampaignOf = () => '';

export type ReadEvent = Pick<Unacked, 'n' | 'e' | 'd' | 'key' | 'enqueuedAt'>;

function readCommit(
  commit: FeedCommit,
  from: EventPosition,
  limit: number,
  settings: SubscriptionSettings,
  campaignOf: CampaignOf,
): { readonly events: readonly ReadEvent[]; readonly next: EventPosition } {
  const events: ReadEvent[] = [];
  const start = from.n === commit.position ? from : { e: 0, d: 0 };
  for (const [e, { enqueued, positions }] of commit.entries) {
    if (e < start.e || !isSubscribedTo(settings, enqueued, () => campaignOf(enqueued))) continue;
    const chunk = messageChunkKey(enqueued);
    for (let d = e === start.e ? start.d : 0; d < positions.length; d++) {
      if (events.length === limit) return { events, next: { n: commit.position, e, d } };
      const key = keyAt(chunk, positions[d]!);
      events.push({ n: commit.position, e, d, key, enqueuedAt: commit.at });
    }
  }
  return { events, next: { n: commit.position + 1, e: 0, d: 0 } };
}

export class Feed {
  readonly #commits: Pick<CommitReader<WebhookEvent>, 'after' | 'pick'>;
  readonly #log: string;
  readonly #messages: Pick<MessageStore, 'find'>;
  readonly #recent = new Map<number, FeedCommit>();
  #ahead: FeedCommit[] = [];
  #hasMore = true;

  constructor(
    commits: Pick<CommitReader<WebhookEvent>, 'after' | 'pick'>,
    log: string,
    messages: Pick<MessageStore, 'find'>,
  ) {
    this.#commits = commits;
    this.#log = log;
    this.#messages = messages;
  }

  wake(): void {
    this.#hasMore = true;
  }

  async read(
    from: EventPosition,
    limit: number,
    settings: SubscriptionSettings,
  ): Promise<ReturnType<typeof readCommit> | undefined> {
    if (this.#ahead.length === 0) await this.#readAhead(from);
    const [commit] = this.#ahead;
    if (!commit) return undefined;
    const campaignOf = settings.campaigns.length === 0 ? noCampaign : await this.#campaignsIn(commit);
    const read = readCommit(commit, from, limit, settings, campaignOf);
    if (read.next.n > commit.position) this.#ahead.shift();
    return read;
  }

  async dueAt(places: readonly EventPosition[]): Promise<(DueEvent | undefined)[]> {
    const commits = await this.#commitsOf(places);
    return places.map((place) => {
      const commit = commits.get(place.n);
      return commit && dueAt(commit, place);
    });
  }

  async restored<Open extends EventPosition>(open: readonly Open[]): Promise<(Open & ReadEvent)[]> {
    const commits = await this.#commitsOf(open);
    return open.flatMap((event) => {
      const commit = commits.get(event.n);
      const due = commit && dueAt(commit, event);
      return due ? [{ ...event, key: keyOf(due), enqueuedAt: commit.at }] : [];
    });
  }

  async #commitsOf(places: readonly EventPosition[]): Promise<ReadonlyMap<number, FeedCommit>> {
    const found = new Map<number, FeedCommit>();
    const missing = new Set<number>();
    for (const { n } of places) {
      const recent = this.#recent.get(n);
      if (recent) found.set(n, recent);
      else missing.add(n);
    }
    if (missing.size === 0) return found;
    for (const commit of await this.#commits.pick(this.#log, [...missing]))
      found.set(commit.position, feedCommit(commit));
    return found;
  }

  async #campaignsIn({ entries }: FeedCommit): Promise<CampaignOf> {
    const ids = new Set(Array.from(entries.values(), ({ enqueued }) => sendIdOf(enqueued)));
    const found = await this.#messages.find(ids);
    return (enqueued) => String(found.get(sendIdOf(enqueued))?.accepted.campaignId ?? '');
  }

  async #readAhead({ n }: EventPosition): Promise<void> {
    if (!this.#hasMore) return;
    this.#hasMore = false;
    const reading = this.#commits.after(this.#log, n - 1, COMMITS_AT_ONCE);
    const commits = await reading.catch((error: unknown) => {
      this.#hasMore = true;
      throw error;
    });
    if (commits.length > 0) this.#hasMore = true;
    this.#ahead = commits.map(feedCommit);
    for (const commit of this.#ahead) {
      this.#recent.set(commit.position, commit);
      if (this.#recent.size > MAX_COMMITS) this.#recent.delete(this.#recent.keys().next().value!);
    }
  }
}
