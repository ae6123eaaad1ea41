import { channelServing } from '@tidings/channels';
import {
  type ChunkKey,
  dueSlices,
  isSettled,
  openSliceOf,
  type PacedLimits,
  pacedSlices,
  planId,
  sendableId,
  type SendingApplication,
  sliceCount,
  sliceSizeOf,
} from '@tidings/delivery';
import { Bitmap } from '@tidings/kernel';
import { badgesOf, type PlanDocument, plannedOf } from '@tidings/registry-store';
import type { Collection } from 'mongodb';
import type { DecidedPlan } from '../plan/plan-log.ts';
import { sendableKeys } from '../plan/plans.ts';
import { laneOf } from '../release/outgoing-message.ts';
import { type ScanDeps, scanMembers } from '../scan/chunk-scan.ts';
import type { ChunkWork } from '../scan/chunk-work.ts';
import type { Buffers, BufferPool } from './buffer-pool.ts';
import { heldSlices, membersOf } from './held-slices.ts';
import { type Passed, passedOnce } from './passed.ts';
import { type PublishDeps, publishSlices, type SlicesToEmit } from './publish-slices.ts';

export interface EmitDeps extends PublishDeps, ScanDeps {
  readonly storedPlans: Collection<PlanDocument>;
  readonly findApplication: (code: string) => Promise<SendingApplication | undefined>;
}

export interface Paced extends PacedLimits {
  readonly passed: Passed;
}

const allSlices = (sendable: Bitmap, sliceSize: number): number[] =>
  Array.from({ length: sliceCount(sendable.size, sliceSize) }, (_, number) => number);

export async function emitPlan(
  deps: EmitDeps,
  { key: chunkKey, message }: ChunkWork,
  application: SendingApplication | undefined,
  { planned, badges }: DecidedPlan,
  buffers: Buffers,
): Promise<void> {
  for (const { platform, variant, set } of planned.sendable) {
    const sendable = Bitmap.decode(set);
    const sliceSize = sliceSizeOf(planned);
    const slices = heldSlices(buffers.columns, sendable, sliceSize, allSlices(sendable, sliceSize));
    const key = { ...chunkKey, platform, variant };
    const of = { application, key, sendable, planned, badges, slices, isAgain: () => false };
    await publishSlices(deps, message, of, buffers);
  }
}

export async function emitDue(deps: EmitDeps, work: ChunkWork, pool: BufferPool, paced?: Paced): Promise<number> {
  const { key, message } = work;
  const stored = await deps.storedPlans.findOne({ _id: planId(key) });
  if (!stored || stored.settledAt) return 0;
  const { sets, ...plan } = await sendableSets(deps, key, stored);
  const passed = paced?.passed ?? passedOnce(deps.broker);
  let emitted = 0;
  for (const { statuses, ...set } of sets) {
    const hasPassed = await passed(channelServing(set.key), laneOf(message));
    const now = deps.clock.now();
    const count = sliceCount(set.sendable.size, sliceSizeOf(plan.planned));
    const due = dueSlices(statuses, count, now, hasPassed);
    const slices = paced ? pacedSlices(due, statuses, count, { ...paced, slices: paced.slices - emitted }) : due;
    if (slices.length === 0) continue;
    emitted += slices.length;
    const isAgain = (number: number): boolean => openSliceOf(statuses, number).emitted !== undefined;
    await emitAnew(deps, work, { ...plan, ...set, slices, isAgain }, pool);
  }
  return emitted;
}

export async function emitForOutcomes(deps: EmitDeps, work: ChunkWork, pool: BufferPool): Promise<void> {
  const { key } = work;
  const stored = await deps.storedPlans.findOne({ _id: planId(key) });
  if (!stored) return;
  const { sets, ...plan } = await sendableSets(deps, key, stored);
  for (const { statuses, ...set } of sets) {
    // A settled plan may have lost some of its statuses.
    const slices = allSlices(set.sendable, sliceSizeOf(plan.planned)).filter(
      (number) => stored.settledAt || isSettled(statuses, number),
    );
    await emitAnew(deps, work, { ...plan, ...set, slices, isAgain: () => true, outcomesAgain: true }, pool);
  }
}

async function sendableSets({ statuses, findApplication }: EmitDeps, key: ChunkKey, stored: PlanDocument) {
  const planned = plannedOf(stored);
  const keys = sendableKeys(key, planned.sendable);
  const found = await statuses.find(keys.map(sendableId));
  const application = await findApplication(key.application);
  const sets = keys.map((each, i) => ({
    key: each,
    sendable: Bitmap.decode(planned.sendable[i]!.set),
    statuses: found.get(sendableId(each)),
  }));
  return { application, planned, badges: badgesOf(stored), sets };
}

async function emitAnew(deps: EmitDeps, work: ChunkWork, of: SlicesToEmit, pool: BufferPool): Promise<void> {
  const { sendable, planned, slices } = of;
  const sliceSize = sliceSizeOf(planned);
  let left = slices;
  for (let together = left.length; left.length > 0; together = 1) {
    const some = left.slice(0, together);
    const held = await pool.use(async (buffers) => {
      await scanMembers(deps, work, buffers.columns, membersOf(sendable, sliceSize, some));
      const slices = heldSlices(buffers.columns, sendable, sliceSize, some);
      await publishSlices(deps, work.message, { ...of, slices }, buffers);
      return new Set(slices);
    });
    if (together === 1 && held.size === 0)
      throw new Error(`${planId(work.key)}: the buffers do not hold slice ${some[0]}`);
    left = left.filter((number) => !held.has(number));
  }
}
