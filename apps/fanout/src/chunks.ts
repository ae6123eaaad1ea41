import { type TagDefinition, withOffsets } from '@tidings/audience';
import { changesBadges, channelServing, deviceFieldsFor, languagesOf } from '@tidings/channels';
import type { LogWriter } from '@tidings/event-store';
import {
  type ChunkKey,
  chunkKeyOf,
  dueSlices,
  isSettled,
  openSliceOf,
  type PacedLimits,
  pacedSlices,
  planId,
  RATED_SLICE_SIZE,
  type SendableKey,
  sendableId,
  type SendingApplication,
  sliceCount,
  sliceSizeOf,
  type Suppressed,
} from '@tidings/delivery';
import {
  type BadgesAllotted,
  batchesTopic,
  type ChunkPlanned,
  type Expression,
  type FanoutTask,
  type MessageAccepted,
} from '@tidings/events';
import { Bitmap, type Clock, chunkOf, sendIdOf, TEST_CHUNK } from '@tidings/kernel';
import { inboxRemovalOf, namedIn } from '@tidings/messaging';
import {
  type SuppressionQuery,
  type Columns,
  badgesOf,
  type PlanDocument,
  PLANS,
  plannedOf,
  type DeviceScan,
  type Extras,
} from '@tidings/registry-store';
import { renewed, tagsIn } from '@tidings/segments';
import type { Broker } from '@tidings/streaming';
import type { Collection, Db } from 'mongodb';
import type { Buffers, BufferPool } from './buffer-pool.ts';
import { batchHead } from './emit/batch-head.ts';
import type { EmittedBatch } from './emit/batch-writer.ts';
import type { FanoutMetrics } from './fanout-metrics.ts';
import type { OutgoingMessages } from './release/outgoing.ts';
import {
  isNamed,
  isRated,
  isReleased,
  laneOf,
  type Outgoing,
  type Released,
  onlyChunkOf,
} from './release/outgoing-message.ts';
import { heldSlices, membersOf } from './emit/held-slices.ts';
import { type Passed, passedOnce } from './emit/passed.ts';
import type { KnownPlans } from './plan/known-plans.ts';
import { planInLog, type Planning } from './plan/planning.ts';
import type { DecidedPlan, PlanCommand, PlanReply } from './plan/plan-log.ts';
import { sendableKeys } from './plan/plans.ts';
import { findSuppressed, markSuppressed } from './scan/suppressed.ts';
import type { SliceStatusStore } from './settle/slice-statuses.ts';

/** Batches that are published together while the next ones are written. */
const PUBLISHED_TOGETHER = 4;

export interface ChunksDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly broker: Broker;
  readonly scan: DeviceScan;
  readonly outgoing: OutgoingMessages;
  readonly statuses: SliceStatusStore;
  readonly plans: LogWriter<PlanCommand, PlanReply>;
  readonly known: KnownPlans;
  readonly metrics: FanoutMetrics;
  readonly findApplication: (code: string) => Promise<SendingApplication | undefined>;
  readonly findTags: (account: string, names: readonly string[]) => Promise<readonly (TagDefinition | undefined)[]>;
  /** Numbers of deleted tags whose values devices may still have. */
  readonly findClearingTags: (account: string) => Promise<readonly number[]>;
}

/** The message for a chunk. Test devices are in no audience: no cap, no control group and no inbox applies to them (R-L2). */
const sentTo = ({ chunk }: ChunkKey, accepted: MessageAccepted): MessageAccepted =>
  chunk === TEST_CHUNK
    ? {
        ...accepted,
        transactional: true,
        capped: false,
        content: accepted.content && { ...accepted.content, inbox: undefined },
      }
    : accepted;

/** A message in one of its chunks. */
interface ChunkWork {
  readonly key: ChunkKey;
  readonly message: Released;
  readonly extras: Extras;
}

export interface PlanOptions {
  /** Resolves when planned slices may be emitted. @default at once */
  readonly ready?: Promise<unknown>;
}

/** Which contacts of a chunk may get the message. */
function suppressionQueryOf({ key, message }: ChunkWork): SuppressionQuery {
  const { transactional, content } = sentTo(key, message.accepted);
  return { ...key, account: message.account, transactional, category: content?.email?.category };
}

/** Plans chunks of messages and emits their slices (sending 2). Every step is repeatable at any time by any process. */
export class Chunks {
  readonly #deps: ChunksDeps;
  readonly #stored: Collection<PlanDocument>;

  constructor(deps: ChunksDeps) {
    this.#deps = deps;
    this.#stored = deps.db.collection<PlanDocument>(PLANS);
  }

  /**
   * Plans the chunk of a task unless it is planned, and emits its due slices; the pacer emits slices of a message with a send rate. A task that asks
   * for outcomes again emits its settled slices instead, whose outcomes dispatchers publish again.
   */
  async work(task: FanoutTask, pool: BufferPool): Promise<void> {
    const id = sendIdOf(task);
    const message = (await this.#deps.outgoing.find([id])).get(id);
    // An unknown message was removed with its plans: it is completed.
    if (!message || !isReleased(message)) return;
    const key = chunkKeyOf(task);
    if (task.outcomesAgain) {
      return this.#askAgain({ key, message, extras: await this.#extrasOf(message) }, pool);
    }
    const planned = await this.#stored.countDocuments({ _id: planId(key) }, { limit: 1 });
    if (planned === 0) await this.plan(message, key, pool);
    else if (!isRated(message)) await this.#emitDue({ key, message, extras: await this.#extrasOf(message) }, pool);
  }

  /**
   * The same for a message that has just been released: nothing is planned yet, unless this is a repeat.
   */
  async plan(message: Released, key: ChunkKey, pool: BufferPool, { ready }: PlanOptions = {}): Promise<void> {
    const work = { key, message, extras: await this.#extrasOf(message) };
    const isDone = await pool.use(async (buffers) => {
      const [application] = await Promise.all([
        this.#deps.findApplication(key.application),
        this.#scan(work, buffers.columns),
      ]);
      const suppressed = await findSuppressed(this.#deps.db, buffers.columns, suppressionQueryOf(work));
      const { made, done } = this.#plan(work, application, buffers.columns, suppressed);
      // Both use the buffers: the slot of the pool is free when both have ended, even if one fails.
      const emitted = Promise.all([made, ready]).then(([planned]) =>
        planned && !isRated(message) ? this.#emitAll(work, application, planned, buffers) : undefined,
      );
      await Promise.allSettled([emitted, done]);
      await Promise.all([emitted, done]);
      return (await made) !== undefined && buffers.columns.isWhole;
    });
    // Another task has planned it, perhaps for other devices than were scanned here; or the devices exceeded the buffers.
    if (!isDone && !isRated(message)) await this.#emitDue(work, pool);
  }

  /** The offsets that dispatchers have passed, for several calls of {@link emitPaced}. */
  passed(): Passed {
    return passedOnce(this.#deps.broker);
  }

  /** Emits some of the due slices of a chunk of a message with a send rate, if it is planned; returns their number. */
  async emitPaced(message: Released, key: ChunkKey, pool: BufferPool, paced: Paced): Promise<number> {
    return this.#emitDue({ key, message, extras: await this.#extrasOf(message) }, pool, paced);
  }

  async #extrasOf({ account, accepted: { content, audience } }: Outgoing): Promise<Extras> {
    const names = content?.tags ?? [];
    const values = names.length > 0 ? await this.#deps.findTags(account, names) : [];
    return {
      badge: changesBadges(content),
      values,
      fields: deviceFieldsFor(content),
      activity: audience?.target?.$case === 'selection' ? audience.target.value.activity : '',
      languages: content && languagesOf(content),
    };
  }

  #plan(
    { key, message, extras }: ChunkWork,
    application: SendingApplication | undefined,
    candidates: Columns,
    suppressed: Suppressed,
  ): Planning {
    const accepted = sentTo(key, message.accepted);
    const { audience, transactional, content, capped, capping, cappingExclude, cappingAvoid } = accepted;
    const isExempt = transactional && !capped;
    const at = new Date(this.#deps.clock.now());
    const rules = {
      chunk: key.chunk,
      named: isNamed(message),
      transactional,
      once: message.step !== undefined,
      platforms: audience?.platforms ?? [],
      content,
      application,
      suppressed,
      at,
      inboxRemoval: content?.inbox && inboxRemovalOf(content.inbox, at),
      counted: !isExempt && !cappingExclude,
      ...(isRated(message) && { sliceSize: RATED_SLICE_SIZE }),
    };
    const cap = isExempt || cappingAvoid ? undefined : (capping ?? application?.capping);
    const planning = planInLog(this.#deps.plans, {
      kind: 'plan',
      of: message,
      key,
      candidates,
      // Test devices have no badge that is counted.
      badges: extras.badge && key.chunk !== TEST_CHUNK ? candidates : undefined,
      rules,
      capping: cap,
      isOnly: onlyChunkOf(message) !== undefined,
    });
    const made = planning.made.then((planned) => {
      if (planned) this.#deps.known.made(key, planned, at);
      return planned;
    });
    return { ...planning, made };
  }

  async #scan({ key, message, extras }: ChunkWork, columns: Columns): Promise<void> {
    const { scan, outgoing } = this.#deps;
    const { application, chunk } = key;
    const target = message.accepted.audience?.target;
    const offsets = message.step?.offsets;
    const now = message.releasedAt;
    switch (target?.$case) {
      case 'named': {
        const seqs = namedIn(target.value, application).filter((seq) => chunkOf(seq) === chunk);
        return scan.named(columns, application, seqs, extras, { expression: withOffsets(undefined, offsets), now });
      }
      case 'selection': {
        const { inbox, liveActivity } = message.accepted.content ?? {};
        const withoutToken = inbox !== undefined || liveActivity !== undefined;
        const current = await this.#withoutDeletedTags(message.account, target.value.expression);
        const expression = withOffsets(current, offsets);
        const selected = { ...target.value, expression, now, withoutToken };
        const lookup = await outgoing.lookupOf(sendIdOf(message), application, () =>
          scan.chooseLookup(application, selected),
        );
        return scan.selected(columns, key, selected, lookup, extras);
      }
      case undefined:
        // An audience of an unknown kind matches nobody.
        return scan.named(columns, application, [], extras);
    }
  }

  /** The expression for devices that may still have values of deleted tags (R-D2). */
  async #withoutDeletedTags(account: string, expression: Expression | undefined): Promise<Expression | undefined> {
    if (!expression || tagsIn(expression).size === 0) return expression;
    const deleted = await this.#deps.findClearingTags(account);
    return deleted.length === 0 ? expression : renewed(expression, (tag) => !deleted.includes(tag));
  }

  async #emitAll(
    work: ChunkWork,
    application: SendingApplication | undefined,
    { planned, badges }: DecidedPlan,
    buffers: Buffers,
  ): Promise<void> {
    for (const { platform, variant, set } of planned.sendable) {
      const sendable = Bitmap.decode(set);
      const sliceSize = sliceSizeOf(planned);
      const all = Array.from({ length: sliceCount(sendable.size, sliceSize) }, (_, number) => number);
      const slices = heldSlices(buffers.columns, sendable, sliceSize, all);
      const key = { ...work.key, platform, variant };
      await this.#emit(work, { application, key, sendable, planned, badges, slices, isAgain: () => false }, buffers);
    }
  }

  /**
   * Emits the slices of a stored plan that are due by the watchdog's rule, from devices that are read again; returns their number.
   * @param paced for a message with a send rate: maximum number of slices, and maximum number of slices in flight of each sendable set
   */
  async #emitDue(work: ChunkWork, pool: BufferPool, paced?: Paced): Promise<number> {
    const { key, message } = work;
    const stored = await this.#stored.findOne({ _id: planId(key) });
    if (!stored || stored.settledAt) return 0;
    const [planned, badges] = [plannedOf(stored), badgesOf(stored)];
    const { sendable: sendables } = planned;
    const sliceSize = sliceSizeOf(planned);
    let emitted = 0;
    const keys = sendableKeys(key, sendables);
    const statuses = await this.#deps.statuses.find(keys.map(sendableId));
    const application = await this.#deps.findApplication(key.application);
    const passed = paced?.passed ?? this.passed();
    for (const [i, sendableKey] of keys.entries()) {
      const sendable = Bitmap.decode(sendables[i]!.set);
      const own = statuses.get(sendableId(sendableKey));
      const channel = channelServing(sendableKey);
      const hasPassed = await passed(channel, laneOf(message));
      const now = this.#deps.clock.now();
      const count = sliceCount(sendable.size, sliceSize);
      const due = dueSlices(own, count, now, hasPassed);
      const slices = paced ? pacedSlices(due, own, count, { ...paced, slices: paced.slices - emitted }) : due;
      if (slices.length === 0) continue;
      emitted += slices.length;
      const isAgain = (number: number): boolean => openSliceOf(own, number).emitted !== undefined;
      const of = { application, key: sendableKey, sendable, planned, badges, slices, isAgain };
      await this.#emitAnew(work, of, pool);
    }
    return emitted;
  }

  /** Emits the settled slices of a stored plan for their outcomes alone. */
  async #askAgain(work: ChunkWork, pool: BufferPool): Promise<void> {
    const { key } = work;
    const stored = await this.#stored.findOne({ _id: planId(key) });
    if (!stored) return;
    const [planned, badges] = [plannedOf(stored), badgesOf(stored)];
    const keys = sendableKeys(key, planned.sendable);
    const statuses = await this.#deps.statuses.find(keys.map(sendableId));
    const application = await this.#deps.findApplication(key.application);
    for (const [i, sendableKey] of keys.entries()) {
      const sendable = Bitmap.decode(planned.sendable[i]!.set);
      const own = statuses.get(sendableId(sendableKey));
      const all = Array.from({ length: sliceCount(sendable.size, sliceSizeOf(planned)) }, (_, number) => number);
      // A settled plan may have lost some of its statuses: all its slices are settled.
      const slices = all.filter((number) => stored.settledAt || isSettled(own, number));
      const of = { application, key: sendableKey, sendable, planned, badges, slices };
      await this.#emitAnew(work, { ...of, isAgain: () => true, outcomesAgain: true }, pool);
    }
  }

  /** Emits slices from devices that are read again: all together or, if the buffers cannot hold them, the remaining ones one at a time. */
  async #emitAnew(work: ChunkWork, of: Emitting, pool: BufferPool): Promise<void> {
    const { key, extras } = work;
    const { sendable, planned, slices } = of;
    const sliceSize = sliceSizeOf(planned);
    let left = slices;
    for (let together = left.length; left.length > 0; together = 1) {
      const some = left.slice(0, together);
      const held = await pool.use(async (buffers) => {
        await this.#deps.scan.at(
          buffers.columns,
          key.application,
          key.chunk,
          membersOf(sendable, sliceSize, some),
          extras,
        );
        await markSuppressed(this.#deps.db, buffers.columns, suppressionQueryOf(work));
        const slices = heldSlices(buffers.columns, sendable, sliceSize, some);
        await this.#emit(work, { ...of, slices }, buffers);
        return new Set(slices);
      });
      if (together === 1 && held.size === 0)
        throw new Error(`${planId(key)}: the buffers do not hold slice ${some[0]}`);
      left = left.filter((number) => !held.has(number));
    }
  }

  async #emit(work: ChunkWork, of: Emitting, { writer, columns }: Buffers): Promise<void> {
    const { message } = work;
    const { key, sendable, planned, badges, slices, isAgain, outcomesAgain = false } = of;
    const channel = channelServing(key);
    const topic = batchesTopic(channel, laneOf(message) === 'direct');
    const publish = async (batches: readonly EmittedBatch[]): Promise<void> => {
      const records = batches.map(({ record }) => record);
      const positions = await this.#deps.broker.publish(topic, records);
      // Nobody waits for them.
      if (outcomesAgain) return;
      const at = this.#deps.clock.now();
      const emitted = batches.flatMap((batch, i) =>
        batch.slices.map((number) => ({ number, emission: { ...positions[i]!, at } })),
      );
      for (const { number } of emitted) this.#deps.metrics.emitted(channel, isAgain(number));
      if (laneOf(message) === 'direct') this.#deps.statuses.emittedJustNow(key, emitted);
      else await this.#deps.statuses.emitted(key, emitted);
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
    for (const batch of writer.write(columns, {
      key,
      head: { ...batchHead(message, key, of), outcomesAgain },
      sendable,
      sliceSize: sliceSizeOf(planned),
      slices,
      badges,
    })) {
      if (group.push(batch) === PUBLISHED_TOGETHER) await flush();
    }
    if (group.length > 0) await flush();
    await publishing;
  }
}

/** The limits of emitting a message with a send rate now, and the records that dispatchers have passed. */
export interface Paced extends PacedLimits {
  readonly passed: Passed;
}

/** Slices of one sendable set to emit now. */
interface Emitting {
  readonly application: SendingApplication | undefined;
  readonly key: SendableKey;
  readonly sendable: Bitmap;
  readonly planned: ChunkPlanned;
  readonly badges: BadgesAllotted | undefined;
  readonly slices: readonly number[];
  /** Whether a slice was emitted before. */
  readonly isAgain: (number: number) => boolean;
  /** They are settled: dispatchers publish their outcomes again, and send nothing. @default false */
  readonly outcomesAgain?: boolean;
}
