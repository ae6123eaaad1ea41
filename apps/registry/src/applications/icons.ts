import { hash } from 'node:crypto';
import type { Clock } from '@tidings/kernel';
import { bytesOf, isDuplicateKey, modelOf } from '@tidings/mongo';
import { applicationsModel } from '@tidings/registry-store';
import type { Db } from 'mongodb';
import { type IconDocument, iconsModel, UNUSED_KEPT_MS } from './storage/icons.schema.ts';

const AT_ONCE = 500;

/** Events and states contain only the id, a SHA-256. */
export interface Icons {
  store(png: Uint8Array): Promise<string>;
  read(id: string): Promise<Buffer>;
  /** Icons are stored before an application gets them. */
  removeUnused(signal?: AbortSignal): Promise<void>;
}

export function openIcons(db: Db, clock: Clock): Icons {
  const icons = modelOf(db, iconsModel);
  return {
    async store(png) {
      if (png.length === 0) return '';
      const _id = hash('sha256', png, 'hex');
      const update = { $max: { usedAt: new Date(clock.now()) }, $setOnInsert: { png: Buffer.from(png) } };
      try {
        await icons.updateOne({ _id }, update, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      return _id;
    },
    async read(id) {
      const found = await icons.findOne({ _id: id }).lean<IconDocument | null>();
      return Buffer.from(found ? bytesOf(found.png) : []);
    },
    async removeUnused(signal) {
      const old = { usedAt: { $lt: new Date(clock.now() - UNUSED_KEPT_MS) } };
      for (let after = ''; !signal?.aborted;) {
        const unused = icons.find({ ...old, _id: { $gt: after } }, { _id: 1 });
        const ids = (await unused.sort({ _id: 1 }).limit(AT_ONCE).lean()).map(({ _id }) => _id);
        const used = await modelOf(db, applicationsModel).distinct('icon', { icon: { $in: ids } });
        await icons.deleteMany({ ...old, _id: { $in: ids.filter((id) => !used.includes(id)) } });
        if (ids.length < AT_ONCE) return;
        after = ids.at(-1)!;
      }
    },
  };
}
