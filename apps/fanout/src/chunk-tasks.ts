import { type ChunkKey, chunkKeyOf, planId } from '@tidings/delivery';
import type { FanoutTask } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import type { BufferPool } from './emit/buffer-pool.ts';
import { type EmitDeps, emitDue, emitForOutcomes, emitPlan, type Paced } from './emit/emission.ts';
import { commitPlan, type PlanDeps } from './plan/planning.ts';
import { isRated, isReleased, type Released } from './release/outgoing-message.ts';
import { chunkWorkOf, scanAudience, suppressedIn } from './scan/chunk-scan.ts';

export interface ChunkDeps extends PlanDeps, EmitDeps {}

/**
 * Plans the chunk of a task unless it is planned, and emits its due slices; the pacer emits slices of a message with a send rate. A task that asks
 * for outcomes again emits its settled slices instead, whose outcomes dispatchers publish again. Repeatable at any time by any process (sending 2).
 */
export async function workOnTask(deps: ChunkDeps, task: FanoutTask, pool: BufferPool): Promise<void> {
  const id = sendIdOf(task);
  const message = (await deps.outgoing.find([id])).get(id);
  // An unknown message was removed with its plans: it is completed.
  if (!message || !isReleased(message)) return;
  const key = chunkKeyOf(task);
  if (task.outcomesAgain) return emitForOutcomes(deps, await chunkWorkOf(deps, message, key), pool);
  const planned = await deps.storedPlans.countDocuments({ _id: planId(key) }, { limit: 1 });
  if (planned === 0) await planAndEmit(deps, message, key, pool);
  else if (!isRated(message)) await emitDue(deps, await chunkWorkOf(deps, message, key), pool);
}

/**
 * The same for a message that has just been released: nothing is planned yet, unless this is a repeat.
 * @param ready resolves when planned slices may be emitted. @default at once
 */
export async function planAndEmit(
  deps: ChunkDeps,
  message: Released,
  key: ChunkKey,
  pool: BufferPool,
  ready?: Promise<unknown>,
): Promise<void> {
  const work = await chunkWorkOf(deps, message, key);
  const isDone = await pool.use(async (buffers) => {
    const { columns } = buffers;
    const [application] = await Promise.all([deps.findApplication(key.application), scanAudience(deps, work, columns)]);
    const suppressed = await suppressedIn(deps, work, columns);
    const { made, done } = commitPlan(deps, work, application, columns, suppressed);
    // Both use the buffers: the slot of the pool is free when both have ended, even if one fails.
    const emitted = Promise.all([made, ready]).then(([plan]) =>
      plan && !isRated(message) ? emitPlan(deps, work, application, plan, buffers) : undefined,
    );
    await Promise.allSettled([emitted, done]);
    await Promise.all([emitted, done]);
    return (await made) !== undefined && columns.isWhole;
  });
  // Another task has planned it, perhaps for other devices than were scanned here; or the devices exceeded the buffers.
  if (!isDone && !isRated(message)) await emitDue(deps, work, pool);
}

/** Emits some of the due slices of a chunk of a message with a send rate, if it is planned; returns their number. */
export const emitPaced = async (
  deps: ChunkDeps,
  message: Released,
  key: ChunkKey,
  pool: BufferPool,
  paced: Paced,
): Promise<number> => emitDue(deps, await chunkWorkOf(deps, message, key), pool, paced);
