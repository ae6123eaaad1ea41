import type { ChunkPlanned } from '@tidings/events';
import { Bitmap, chunkOf, type Clock, positionOf, sendIdOf, type Seq } from '@tidings/kernel';
import { LONGEST_SEND_MS } from '@tidings/messaging';
import { plannedOf, type PlanDocument, planIndexes, PLANS } from '@tidings/registry-store';
import type { Collection, Db, Filter } from 'mongodb';

export interface InboxPlan {
  readonly message: string;
  readonly content: string;
  readonly at: number;
  readonly until: number;
  readonly neededUntil: number;
  readonly chunk: number;
  readonly sets: readonly { readonly platform: number; readonly set: Bitmap }[];
}

export interface PlannedEntry {
  readonly plan: InboxPlan;
  readonly seq: Seq;
  readonly platform: number;
}

/** Steps and joined recipients have later plans. */
const OF_STEP = /^[^/]+\/[1-9]/;

const neededAt = (now: number): Filter<PlanDocument> => ({
  $or: [
    { 'inbox.until': { $gt: new Date(now) } },
    { _id: OF_STEP, 'inbox.until': { $gt: new Date(now - LONGEST_SEND_MS) } },
  ],
});

/** Clocks differ, and a plan is stored a moment after it is made. */
const OVERLAP_MS = 300_000;
/** Finds plans that a crash delayed. */
const RELOAD_MS = 600_000;
const CACHED_SETS = 16_384;

interface CachedChunk {
  readonly plans: Map<string, InboxPlan>;
  loadedAt: number;
  loading?: Promise<void> | undefined;
}

const entrySets = ({ eligible, inbox }: ChunkPlanned): InboxPlan['sets'] =>
  [...eligible, ...(inbox?.eligible ?? [])].map(({ platform, set }) => ({ platform, set: Bitmap.decode(set) }));

function planOf(stored: PlanDocument): InboxPlan {
  const [message = '', bucket] = stored._id.split('/');
  const planned = plannedOf(stored);
  const until = stored.inbox!.until.getTime();
  return {
    message,
    content: sendIdOf({ message, bucket: Number(bucket) }),
    at: stored.at.getTime(),
    until,
    neededUntil: OF_STEP.test(stored._id) ? until + LONGEST_SEND_MS : until,
    chunk: planned.chunk,
    sets: entrySets(planned),
  };
}

const setsOf = ({ plans }: CachedChunk): number => {
  let sets = 0;
  for (const plan of plans.values()) sets += plan.sets.length;
  return sets;
};

/** Broadcasts stay decoded in memory. */
export class InboxPlans {
  readonly #plans: Collection<PlanDocument>;
  readonly #clock: Clock;
  readonly #chunks = new Map<string, CachedChunk>();

  constructor(db: Db, clock: Clock) {
    this.#plans = db.collection<PlanDocument>(PLANS);
    this.#clock = clock;
  }

  async entriesOf(application: string, seqs: readonly Seq[]): Promise<readonly PlannedEntry[]> {
    if (seqs.length === 0) return [];
    const byChunk = Map.groupBy(seqs, chunkOf);
    const [named, ...broadcasts] = await Promise.all([
      this.#named(application, seqs),
      ...[...byChunk.keys()].map((chunk) => this.#broadcasts(application, chunk)),
    ]);
    const now = this.#clock.now();
    const found: PlannedEntry[] = [];
    for (const plan of [...named, ...broadcasts.flatMap(({ plans }) => [...plans.values()])]) {
      if (plan.neededUntil <= now) continue;
      for (const seq of byChunk.get(plan.chunk) ?? []) {
        const position = positionOf(seq);
        const own = plan.sets.find(({ set }) => set.has(position));
        if (own) found.push({ plan, seq, platform: own.platform });
      }
    }
    return found;
  }

  async #named(application: string, seqs: readonly Seq[]): Promise<readonly InboxPlan[]> {
    const ofDevices = { 'inbox.app': application, 'inbox.seqs': { $in: [...seqs] } };
    const found = await this.#plans
      .find(
        { ...ofDevices, ...neededAt(this.#clock.now()) },
        { projection: { 'inbox.seqs': 0 }, hint: planIndexes.inboxSeqs },
      )
      .toArray();
    return found.map(planOf);
  }

  async #broadcasts(application: string, chunk: number): Promise<CachedChunk> {
    const key = `${application}/${chunk}`;
    const cached: CachedChunk = this.#chunks.get(key) ?? { plans: new Map(), loadedAt: -Infinity };
    this.#chunks.delete(key);
    this.#chunks.set(key, cached);
    const place = { 'inbox.app': application, 'inbox.chunk': chunk };
    const now = this.#clock.now();
    if (now - cached.loadedAt < RELOAD_MS) {
      await this.#add(cached, { ...place, at: { $gte: new Date(cached.loadedAt - OVERLAP_MS) } });
      return cached;
    }
    cached.loading ??= this.#reload(cached, place, now).finally(() => (cached.loading = undefined));
    await cached.loading;
    return cached;
  }

  async #reload(cached: CachedChunk, place: object, now: number): Promise<void> {
    for (const [id, { neededUntil }] of cached.plans) if (neededUntil <= now) cached.plans.delete(id);
    await this.#add(cached, { ...place, ...neededAt(now) });
    cached.loadedAt = now;
    this.#shrink();
  }

  async #add(cached: CachedChunk, filter: object): Promise<void> {
    const hint = planIndexes.inboxChunk;
    const ids = await this.#plans.find(filter, { projection: { _id: 1 }, hint }).toArray();
    const missing = ids.filter(({ _id }) => !cached.plans.has(_id)).map(({ _id }) => _id);
    if (missing.length === 0) return;
    for await (const stored of this.#plans.find({ _id: { $in: missing } }))
      cached.plans.set(stored._id, planOf(stored));
  }

  #shrink(): void {
    let sets = 0;
    for (const cached of this.#chunks.values()) sets += setsOf(cached);
    for (const [key, cached] of this.#chunks) {
      if (sets <= CACHED_SETS || this.#chunks.size === 1) return;
      sets -= setsOf(cached);
      this.#chunks.delete(key);
    }
  }
}
