import { type ChunkKey, fanoutId, planId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import { FANOUTS, type FanoutState, type PlanDocument, plannedOf, PLANS } from '@tidings/registry-store';
import type { Collection, Db } from 'mongodb';
import { onlyChunkOf, type Released } from './outgoing-message.ts';

export class FanoutChunks {
  readonly #fanouts: Collection<FanoutState & { readonly _id: string }>;
  readonly #plans: Collection<PlanDocument>;

  constructor(db: Db) {
    this.#fanouts = db.collection(FANOUTS);
    this.#plans = db.collection(PLANS);
  }

  async of(messages: readonly Released[]): Promise<ReadonlyMap<string, readonly ChunkKey[]>> {
    const keysOf = ({ message, bucket, accepted }: Released) =>
      accepted.applications.map((application) => ({ message, bucket, application }));
    const recorded = messages.filter((message) => onlyChunkOf(message) === undefined);
    const keys = recorded.flatMap(keysOf);
    const ids = keys.map(fanoutId);
    const found = ids.length === 0 ? [] : await this.#fanouts.find({ _id: { $in: ids } }).toArray();
    const chunksById = new Map(found.map(({ _id, chunks }) => [_id, chunks]));
    const missing = keys.filter((key) => !chunksById.has(fanoutId(key)));
    for (const key of await this.#onlyChunks(missing)) chunksById.set(fanoutId(key), [key.chunk]);
    const chunksBySend = new Map<string, readonly ChunkKey[]>();
    for (const message of messages) {
      const only = onlyChunkOf(message);
      const own = only === undefined ? undefined : [only];
      const parts = keysOf(message).map((key) => ({ key, chunks: own ?? chunksById.get(fanoutId(key)) }));
      if (parts.some(({ chunks }) => !chunks)) continue;
      chunksBySend.set(
        sendIdOf(message),
        parts.flatMap(({ key, chunks }) => chunks!.map((chunk) => ({ ...key, chunk }))),
      );
    }
    return chunksBySend;
  }

  /** The first chunk is the only one of a fan-out planned on release. */
  async #onlyChunks(fanouts: readonly Omit<ChunkKey, 'chunk'>[]): Promise<readonly ChunkKey[]> {
    if (fanouts.length === 0) return [];
    const keys = new Map(fanouts.map((key) => ({ ...key, chunk: 0 })).map((key) => [planId(key), key]));
    const plans = await this.#plans.find({ _id: { $in: [...keys.keys()] } }).toArray();
    return plans.filter((plan) => plannedOf(plan).only).map(({ _id }) => keys.get(_id)!);
  }
}
