import { hash } from 'node:crypto';
import { Binary, type Db } from 'mongodb';

const ICONS = 'icons';
const DUPLICATE_KEY = 11000;

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
      try {
        await icons.insertOne({ _id: id, png: new Binary(png) });
      } catch (error) {
        // Somebody has stored the same picture.
        if ((error as { code?: unknown }).code !== DUPLICATE_KEY) throw error;
      }
      return id;
    },
    async read(id) {
      const found = await icons.findOne({ _id: id });
      return Buffer.from(found?.png.buffer ?? []);
    },
  };
}
