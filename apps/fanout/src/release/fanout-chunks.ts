import { type ChunkKey, fanoutId } from '@tidings/delivery';
import { sendIdOf } from '@tidings/kernel';
import { FANOUTS, type FanoutState } from '@tidings/registry-store';
import type { Collection, Db } from 'mongodb';
import { onlyChunkOf, type Released } from './outgoing-message.ts';

export class FanoutChunks {
  readonly #fanouts: Collection<FanoutState & { readonly _id: string }>;

  constructor(db: Db) {
    this.#fanouts = db.collection(FANOUTS);
  }

  async of(messages: readonly Released[]): Promise<ReadonlyMap<string, readonly ChunkKey[]>> {
    const keysOf = ({ message, bucket, accepted }: Released) =>
      accepted.applications.map((application) => ({ message, bucket, application }));
    const recorded = messages.filter((message) => onlyChunkOf(message) === undefined);
    const ids = recorded.flatMap(keysOf).map(fanoutId);
    const found = ids.length === 0 ? [] : await this.#fanouts.find({ _id: { $in: ids } }).toArray();
    const fanouts = new Map(found.map((fanout) => [fanout._id, fanout]));
    const chunksBySend = new Map<string, readonly ChunkKey[]>();
    for (const message of messages) {
      const only = onlyChunkOf(message);
      const own = only === undefined ? undefined : [only];
      const parts = keysOf(message).map((key) => ({ key, chunks: own ?? fanouts.get(fanoutId(key))?.chunks }));
      if (parts.some(({ chunks }) => !chunks)) continue;
      chunksBySend.set(
        sendIdOf(message),
        parts.flatMap(({ key, chunks }) => chunks!.map((chunk) => ({ ...key, chunk }))),
      );
    }
    return chunksBySend;
  }
}
