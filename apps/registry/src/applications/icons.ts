import { hash } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

const ICONS = 'icons';

/** PNG bytes by their SHA-256 in hex, so that events and states carry no pictures. */
export interface Icons {
  /** Returns the id; "" for no bytes. */
  store(png: Uint8Array): Promise<string>;
  /** No bytes where there is no such icon. */
  read(id: string): Promise<Buffer>;
}

export function openIcons(db: Db): Icons {
  const icons = db.collection<{ _id: string; png: Binary }>(ICONS);
  return {
    async store(png) {
      if (png.length === 0) return '';
      const id = hash('sha256', png, 'hex');
      await icons.updateOne({ _id: id }, { $setOnInsert: { png: new Binary(png) } }, { upsert: true });
      return id;
    },
    async read(id) {
      const found = await icons.findOne({ _id: id });
      return Buffer.from(found?.png.buffer ?? []);
    },
  };
}
