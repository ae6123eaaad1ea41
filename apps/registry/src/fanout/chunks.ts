import type { TagDefinition } from '@tidings/audience';
import { languagesOf } from '@tidings/channels';
import type { LogWriter } from '@tidings/event-store';
import { batchesTopic, type ChunkPlanned, type FanoutTask, type SendBatch } from '@tidings/events';
import { type Channel, channelOf, channels, chunkOf, Bitmap, type Clock, sendIdOf } from '@tidings/kernel';
import type { Broker, GroupLag, Position } from '@tidings/streaming';
import type { Collection, Db } from 'mongodb';
import type { Columns } from './columns.ts';
import type { Buffers, BufferPool } from './buffer-pool.ts';
import { badgeOf, type BatchHead, type EmittedBatch, relativeBadge } from './emit.ts';
import { type ChunkKey, dispatcherGroup, type Lane, marksId, planId, SLICE_SIZE, slicesOf } from './keys.ts';
import { type Marks, openSlices, sliceOf } from './marks.ts';
import type { FanoutMetrics } from './metrics.ts';
import { isReleased, laneOf, type Outgoing, type OutgoingMessages, type Released } from './outgoing.ts';
import type { SendingApplication } from './plan.ts';
import { type PlanCommand, type PlanDocument, type PlanReply, PLANS, plannedOf } from './plans.ts';
import type { Planner, Planning } from './planning.ts';
import type { DeviceScan, Extras } from './scan.ts';
import { judge } from './slices.ts';

/** Batches that are published together; the next ones are written meanwhile. */
const PUBLISHED_TOGETHER = 4;

export interface ChunkParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly broker: Broker;
  readonly scan: DeviceScan;
  readonly outgoing: OutgoingMessages;
  readonly marks: Marks;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly planner: Planner;
  readonly metrics: FanoutMetrics;
  readonly findApplication: (code: string) => Promise<SendingApplication | undefined>;
  readonly findTags: (account: string, names: readonly string[]) => Promise<readonly (TagDefinition | undefined)[]>;
}

/** A message in one of its chunks. */
interface ChunkWork {
  readonly key: ChunkKey;
  readonly message: Released;
  readonly extras: Extras;
}

/** Plans chunks of messages and emits their slices (sending 2). Everything may be repeated, at any point, by anyone. */
export class Chunks {
  readonly #parts: ChunkParts;
  readonly #stored: Collection<PlanDocument>;

  constructor(parts: ChunkParts) {
    this.#parts = parts;
    this.#stored = parts.db.collection<PlanDocument>(PLANS);
  }

  /** Plans the chunk of a task unless that was done before, and emits those of its slices that are due. */
  async work(task: FanoutTask, pool: BufferPool): Promise<void> {
    const id = sendIdOf(task);
    const message = (await this.#parts.outgoing.find([id])).get(id);
    // A message that is not here any more was removed with its plans: it is long done.
    if (!message || !isReleased(message)) return;
    const key = keyOf(task);
    const planned = await this.#stored.countDocuments({ _id: planId(key) }, { limit: 1 });
    if (planned === 0) await this.plan(message, key, pool);
    else await this.#emitDue({ key, message, extras: await this.#extrasOf(message) }, pool);
  }

  /**
   * The same for a message that has just been released: nothing has been planned yet, unless this is a repeat.
   * @param ready resolves when what is planned may be sent.
   */
  async plan(message: Released, key: ChunkKey, pool: BufferPool, ready?: Promise<unknown>): Promise<void> {
    const work = { key, message, extras: await this.#extrasOf(message) };
    const isDone = await pool.use(async (buffers) => {
      const [application] = await Promise.all([
        this.#parts.findApplication(key.application),
        this.#scan(work, buffers.columns),
      ]);
      const { made, done } = this.#plan(work, application, buffers.columns);
      // The buffers are in use until both have ended, whichever fails.
      const emitted = Promise.all([made, ready]).then(
        ([planned]) => planned && this.#emitAll(work, application, planned, buffers),
      );
      await Promise.allSettled([emitted, done]);
      await Promise.all([emitted, done]);
      return (await made) !== undefined && buffers.columns.isWhole;
    });
    // Somebody else has planned it, perhaps for other devices than were scanned here; or there were more than the buffers hold.
    if (!isDone) await this.#emitDue(work, pool);
  }

  async #extrasOf({ account, accepted: { content } }: Outgoing): Promise<Extras> {
    const badge = channels.some((channel) => relativeBadge(badgeOf(content, channel)) !== undefined);
    const names = content?.tags ?? [];
    const values = names.length > 0 ? await this.#parts.findTags(account, names) : [];
    return { badge, values, languages: content && languagesOf(content) };
  }

  #plan({ key, message }: ChunkWork, application: SendingApplication | undefined, candidates: Columns): Planning {
    const { audience, transactional } = message.accepted;
    const rules = {
      chunk: key.chunk,
      named: laneOf(message) === 'direct',
      transactional,
      platforms: audience?.platforms ?? [],
      application,
      at: new Date(this.#parts.clock.now()),
    };
    return this.#parts.planner.plan(this.#parts.plans, { kind: 'plan', of: message, key, candidates, rules });
  }

  async #scan({ key, message, extras }: ChunkWork, columns: Columns): Promise<void> {
    const { scan, outgoing } = this.#parts;
    const { application, chunk } = key;
    const target = message.accepted.audience?.target;
    switch (target?.$case) {
      case 'named': {
        const seqs = target.value.seqs.filter((seq) => chunkOf(seq) === chunk);
        return scan.named(columns, application, seqs, extras);
      }
      case 'selection': {
        const selected = { expression: target.value.expression, now: message.releasedAt };
        const lookup = await outgoing.lookupOf(sendIdOf(message), application, () =>
          scan.chooseLookup(application, selected),
        );
        return scan.selected(columns, key, selected, lookup, extras);
      }
      case undefined:
        // An audience of a kind that is not known here meets nobody.
        return scan.named(columns, application, [], extras);
    }
  }

  async #emitAll(
    work: ChunkWork,
    application: SendingApplication | undefined,
    planned: ChunkPlanned,
    buffers: Buffers,
  ): Promise<void> {
    for (const { channel, set } of planned.sendable) {
      const sendable = Bitmap.decode(set);
      const all = Array.from({ length: slicesOf(sendable.size) }, (_, w) => w);
      const slices = heldSlices(buffers.columns, sendable, all);
      const of = { application, channel: channel as Channel, sendable, slices, isAgain: () => false };
      await this.#emit(work, of, buffers);
    }
  }

  /** Emits the slices of a stored plan that the watchdog's rule calls due, from devices read anew. */
  async #emitDue(work: ChunkWork, pool: BufferPool): Promise<void> {
    const { key, message } = work;
    const stored = await this.#stored.findOne({ _id: planId(key) });
    if (!stored || stored.settledAt) return;
    const sendables = plannedOf(stored).sendable;
    const marks = await this.#parts.marks.find(sendables.map(({ channel }) => marksId(key, channel)));
    const application = await this.#parts.findApplication(key.application);
    for (const each of sendables) {
      const channel = each.channel as Channel;
      const sendable = Bitmap.decode(each.set);
      const own = marks.get(marksId(key, channel));
      const lane = laneOf(message);
      const hasPassed = passedBy(await this.#parts.broker.lag(dispatcherGroup(channel, lane)), channel, lane);
      const now = this.#parts.clock.now();
      const slices = openSlices(own, slicesOf(sendable.size)).filter(
        (w) => judge(sliceOf(own, w), now, hasPassed).kind === 'due',
      );
      if (slices.length === 0) continue;
      const isAgain = (w: number): boolean => sliceOf(own, w).emitted !== undefined;
      await this.#emitAnew(work, { application, channel, sendable, slices, isAgain }, pool);
    }
  }

  /** Emits slices from devices read anew: all together or, where the buffers do not hold them, those that are left one at a time. */
  async #emitAnew(work: ChunkWork, of: Emitting, pool: BufferPool): Promise<void> {
    const { key, extras } = work;
    const { sendable, slices } = of;
    let left = slices;
    for (let together = left.length; left.length > 0; together = 1) {
      const some = left.slice(0, together);
      const held = await pool.use(async (buffers) => {
        await this.#parts.scan.at(buffers.columns, key.application, key.chunk, membersOf(sendable, some), extras);
        const slices = heldSlices(buffers.columns, sendable, some);
        await this.#emit(work, { ...of, slices }, buffers);
        return new Set(slices);
      });
      if (together === 1 && held.size === 0)
        throw new Error(`${planId(key)}: the buffers do not hold slice ${some[0]}`);
      left = left.filter((w) => !held.has(w));
    }
  }

  async #emit(work: ChunkWork, of: Emitting, { writer, columns }: Buffers): Promise<void> {
    const { key, message } = work;
    const { channel, sendable, slices, isAgain } = of;
    const topic = batchesTopic(channel, laneOf(message) === 'direct');
    const publish = async (batches: readonly EmittedBatch[]): Promise<void> => {
      const records = batches.map(({ record }) => record);
      const positions = await this.#parts.broker.publish(topic, records);
      const at = this.#parts.clock.now();
      const emitted = batches.flatMap((batch, i) =>
        batch.slices.map((w) => ({ w, emission: { ...positions[i]!, at } })),
      );
      for (const { w } of emitted) this.#parts.metrics.emitted(channel, isAgain(w));
      await this.#parts.marks.emitted(key, channel, emitted);
    };
    let publishing = Promise.resolve();
    let group: EmittedBatch[] = [];
    const flush = async (): Promise<void> => {
      await publishing;
      publishing = publish(group);
      // Awaited with the next group; until then a failure must not count as unhandled.
      publishing.catch(() => undefined);
      group = [];
    };
    for (const batch of writer.write(columns, { key, head: headOf(work, of), channel, sendable, slices })) {
      if (group.push(batch) === PUBLISHED_TOGETHER) await flush();
    }
    if (group.length > 0) await flush();
    await publishing;
  }
}

/** Slices of one channel that go out now. */
interface Emitting {
  readonly application: SendingApplication | undefined;
  readonly channel: Channel;
  readonly sendable: Bitmap;
  readonly slices: readonly number[];
  /** Whether a slice went out before. */
  readonly isAgain: (w: number) => boolean;
}

const keyOf = ({ message, bucket, application, chunk }: FanoutTask): ChunkKey => ({
  message,
  bucket,
  application,
  chunk,
});

function headOf({ key, message }: ChunkWork, { application, channel }: Emitting): BatchHead {
  const settings = application?.platforms.find(
    ({ platform, configured }) => configured && channelOf(platform) === channel,
  );
  const credential: SendBatch['credential'] = settings && {
    application: key.application,
    platform: settings.platform,
    version: settings.credentialVersion,
  };
  return {
    message: message.message,
    messageId: message.messageId,
    campaignId: message.accepted.campaignId,
    account: message.account,
    content: message.accepted.content,
    credential,
    releasedAt: message.releasedAt,
    atMostOnce: application?.atMostOnce ?? false,
  };
}

const positionsOf = (positions: Uint16Array, w: number): Uint16Array =>
  positions.subarray(w * SLICE_SIZE, (w + 1) * SLICE_SIZE);

/** Those of the slices whose devices are all in the columns, as far as they are there. */
function heldSlices(columns: Columns, sendable: Bitmap, slices: readonly number[]): readonly number[] {
  if (columns.isWhole) return slices;
  const positions = sendable.positions();
  return slices.filter((w) => columns.holds(positionsOf(positions, w)));
}

/** The positions of these slices. */
function membersOf(sendable: Bitmap, slices: readonly number[]): Bitmap {
  if (slices.length === slicesOf(sendable.size)) return sendable;
  const positions = sendable.positions();
  return Bitmap.of(slices.flatMap((w) => Array.from(positionsOf(positions, w))));
}

/** Whether a channel's dispatchers have passed a record of one of its lanes. */
export const passedBy = (lag: readonly GroupLag[], channel: Channel, lane: Lane): ((emission: Position) => boolean) =>
  passedIn(lag, batchesTopic(channel, lane === 'direct'));

/** Whether a group, whose lag this is, has passed a record of a topic. */
export function passedIn(lag: readonly GroupLag[], topic: string): (position: Position) => boolean {
  const committed = new Map(lag.filter((each) => each.topic === topic).map((each) => [each.partition, each.committed]));
  return ({ partition, offset }) => (committed.get(partition) ?? 0) > offset;
}
