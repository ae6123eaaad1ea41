import { type ChunkKey, chunkKeyOf, planId } from '@tidings/delivery';
import type { FanoutTask } from '@tidings/events';
import { sendIdOf } from '@tidings/kernel';
import type { BufferPool } from './emit/buffer-pool.ts';
import { type EmitDeps, emitDue, emitForOutcomes, emitPlan, type Paced } from './emit/emission.ts';
import { commitPlan, type PlanDeps } from './plan/planning.ts';
import { isRated, isReleased, onlyChunkOf, type Released } from './release/outgoing-message.ts';
import type { PlanOptions } from './release/releases.ts';
import { chunkWorkOf, scanAudience, suppressedIn } from './scan/chunk-scan.ts';

export interface ChunkDeps extends PlanDeps, EmitDeps {}

export async function workOnTask(deps: ChunkDeps, task: FanoutTask, pool: BufferPool): Promise<void> {
  const id = sendIdOf(task);
  const message = (await deps.outgoing.find([id])).get(id);
  if (!message || !isReleased(message)) return;
  const key = chunkKeyOf(task);
  if (task.outcomesAgain) return emitForOutcomes(deps, await chunkWorkOf(deps, message, key), pool);
  const planned = await deps.storedPlans.countDocuments({ _id: planId(key) }, { limit: 1 });
  if (planned === 0) await planAndEmit(deps, message, key, pool, { isOnly: onlyChunkOf(message) !== undefined });
  else if (!isRated(message)) await emitDue(deps, await chunkWorkOf(deps, message, key), pool);
}

export async function planAndEmit(
  deps: ChunkDeps,
  message: Released,
  key: ChunkKey,
  pool: BufferPool,
  { isOnly, ready }: Partial<PlanOptions>,
): Promise<void> {
  const work = await chunkWorkOf(deps, message, key, isOnly);
  const isDone = await pool.use(async (buffers) => {
    const { columns } = buffers;
    const [application] = await Promise.all([deps.findApplication(key.application), scanAudience(deps, work, columns)]);
    const suppressed = await suppressedIn(deps, work, columns);
    const { decided, done } = commitPlan(deps, work, application, columns, suppressed);
    // Both use the buffers, which are free when both have ended.
    const emitted = Promise.all([decided, ready]).then(([plan]) =>
      plan && !isRated(message) ? emitPlan(deps, work, application, plan, buffers) : undefined,
    );
    await Promise.allSettled([emitted, done]);
    await Promise.all([emitted, done]);
    return (await decided) !== undefined && columns.isWhole;
  });
  // Another task has planned it, or the devices exceeded the buffers.
  if (!isDone && !isRated(message)) await emitDue(deps, work, pool);
}

export const emitPaced = async (
  deps: ChunkDeps,
  message: Released,
  key: ChunkKey,
  pool: BufferPool,
  paced: Paced,
): Promise<number> => emitDue(deps, await chunkWorkOf(deps, message, key), pool, paced);
