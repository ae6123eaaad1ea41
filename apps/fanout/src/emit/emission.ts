import { channelServing } from '@tidings/channels';
import {
  type ChunkKey,
  dueSlices,
  isSettled,
  openSliceOf,
  type PacedLimits,
  pacedSlices,
  planId,
  recipientSetId,
  type SendingApplication,
  sliceCount,
  sliceSizeOf,
} from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import { badgesOf, type PlanDocument, plannedOf } from '@tidings/registry-store';
import type { Collection } from 'mongodb';
import type { DecidedPlan } from '../plan/plan-log.ts';
import { recipientSetKeys } from '../plan/plans.ts';
import { laneOf } from '../release/outgoing-message.ts';
import { type ScanDeps, scanMembers } from '../scan/chunk-scan.ts';
import type { ChunkWork } from '../scan/chunk-work.ts';
import type { Buffers, BufferPool } from './buffer-pool.ts';
import { bufferedSlices, membersOf } from './buffered-slices.ts';
import { type ConsumedEmissions, consumedEmissions } from './consumed-emissions.ts';
import { type PublishDeps, publishSlices, type SlicesToEmit } from './publish-slices.ts';

export interface EmitDeps extends PublishDeps, ScanDeps {
  readonly storedPlans: Collection<PlanDocument>;
  readonly findApplication: (code: string) => Promise<SendingApplication | undefined>;
}

export interface Paced extends PacedLimits {
  readonly consumed: ConsumedEmissions;
}

const allSlices = (recipients: Bitmap, sliceSize: number): number[] =>
  Array.from({ length: sliceCount(recipients.size, sliceSize) }, (_, number) => number);

export async function emitPlan(
  deps: EmitDeps,
  { key: chunkKey, message }: ChunkWork,
  application: SendingApplication | undefined,
  { planned, badges }: DecidedPlan,
  buffers: Buffers,
): Promise<void> {
  for (const { platform, variant, set } of planned.sendable) {
    const recipients = Bitmap.decode(set);
    const sliceSize = sliceSizeOf(planned);
    const slices = bufferedSlices(buffers.columns, recipients, sliceSize, allSlices(recipients, sliceSize));
    const key = { ...chunkKey, platform, variant };
    const of = { application, key, recipients, planned, badges, slices, isRepeat: () => false };
    await publishSlices(deps, message, of, buffers);
  }
}

export async function emitDue(deps: EmitDeps, work: ChunkWork, pool: BufferPool, paced?: Paced): Promise<number> {
  const { key, message } = work;
  const stored = await deps.storedPlans.findOne({ _id: planId(key) });
  if (!stored || stored.settledAt) return 0;
  const { sets, ...plan } = await recipientSets(deps, key, stored);
  const consumed = paced?.consumed ?? consumedEmissions(deps.broker);
  let emitted = 0;
  for (const { statuses, ...set } of sets) {
    const isConsumed = await consumed(channelServing(set.key), laneOf(message));
    const now = deps.clock.now();
    const count = sliceCount(set.recipients.size, sliceSizeOf(plan.planned));
    const due = dueSlices(statuses, count, now, isConsumed);
    const slices = paced ? pacedSlices(due, statuses, count, { ...paced, slices: paced.slices - emitted }) : due;
    if (slices.length === 0) continue;
    emitted += slices.length;
    const isRepeat = (number: number): boolean => openSliceOf(statuses, number).emitted !== undefined;
    await rescanAndEmit(deps, work, { ...plan, ...set, slices, isRepeat }, pool);
  }
  return emitted;
}

export async function emitForOutcomes(deps: EmitDeps, work: ChunkWork, pool: BufferPool): Promise<void> {
  const { key } = work;
  const stored = await deps.storedPlans.findOne({ _id: planId(key) });
  if (!stored) return;
  const { sets, ...plan } = await recipientSets(deps, key, stored);
  for (const { statuses, ...set } of sets) {
    // A settled plan may have lost some of its statuses.
    const slices = allSlices(set.recipients, sliceSizeOf(plan.planned)).filter(
      (number) => stored.settledAt || isSettled(statuses, number),
    );
    await rescanAndEmit(deps, work, { ...plan, ...set, slices, isRepeat: () => true, outcomesAgain: true }, pool);
  }
}

async function recipientSets({ statuses, findApplication }: EmitDeps, key: ChunkKey, stored: PlanDocument) {
  const planned = plannedOf(stored);
  const keys = recipientSetKeys(key, planned.sendable);
  const found = await statuses.find(keys.map(recipientSetId));
  const application = await findApplication(key.application);
  const sets = keys.map((each, i) => ({
    key: each,
    recipients: Bitmap.decode(planned.sendable[i]!.set),
    statuses: found.get(recipientSetId(each)),
  }));
  return { application, planned, badges: badgesOf(stored), sets };
}

async function rescanAndEmit(deps: EmitDeps, work: ChunkWork, of: SlicesToEmit, pool: BufferPool): Promise<void> {
  const { recipients, planned, slices } = of;
  const sliceSize = sliceSizeOf(planned);
  let remaining = slices;
  for (let size = remaining.length; remaining.length > 0; size = 1) {
    const attempted = remaining.slice(0, size);
    const emitted = await pool.use(async (buffers) => {
      await scanMembers(deps, work, buffers.columns, membersOf(recipients, sliceSize, attempted));
      const slices = bufferedSlices(buffers.columns, recipients, sliceSize, attempted);
      await publishSlices(deps, work.message, { ...of, slices }, buffers);
      return new Set(slices);
    });
    if (size === 1 && emitted.size === 0)
      throw new Error(`${planId(work.key)}: the buffers do not hold slice ${attempted[0]}`);
    remaining = remaining.filter((number) => !emitted.has(number));
  }
}
