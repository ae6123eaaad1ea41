import { pipeline } from 'node:stream/promises';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import type { Written } from './storage/exports.schema.ts';

const BLOCK_BYTES = 1024 * 1024;

/** Parts of several attempts form one deflate stream: each ends on a byte boundary. */
export async function pack(
  texts: AsyncIterable<string>,
  before: Written,
  store: (block: Buffer) => Promise<void>,
): Promise<Written> {
  let { size, packedSize, crc32: sum } = before;
  async function* counted(): AsyncIterable<Buffer> {
    for await (const text of texts) {
      const bytes = Buffer.from(text);
      size += bytes.length;
      sum = crc32(bytes, sum);
      yield bytes;
    }
  }
  const storeAll = async (packed: AsyncIterable<Buffer>): Promise<void> => {
    let block: Buffer[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (bytes > 0) await store(Buffer.concat(block));
      packedSize += bytes;
      [block, bytes] = [[], 0];
    };
    for await (const chunk of packed) {
      block.push(chunk);
      if ((bytes += chunk.length) >= BLOCK_BYTES) await flush();
    }
    await flush();
  };
  await pipeline(counted, createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH }), storeAll);
  return { size, packedSize, crc32: sum };
}
