import { bytes, date, defineModel, inDays, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

export const UNUSED_KEPT_MS = 86_400_000;

export interface IconDocument {
  readonly _id: string;
  readonly png: Uint8Array | Binary;
  readonly usedAt: Date;
}

export const iconsModel = defineModel<IconDocument>({
  name: 'icons',
  retention: `as long as an application uses it, at least ${inDays(UNUSED_KEPT_MS)}`,
  fields: { _id: text, png: bytes, usedAt: date },
});
