import { bytes, date, defineModel, inDays, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

/** Retention of an icon that no application uses. */
export const UNUSED_KEPT_MS = 86_400_000;

export interface IconDocument {
  /** SHA-256 of the PNG in hex. */
  readonly _id: string;
  readonly png: Uint8Array | Binary;
  /** When an application last received it. */
  readonly usedAt: Date;
}

/** The icons of applications. */
export const iconsModel = defineModel<IconDocument>({
  name: 'icons',
  retention: `as long as an application uses it, at least ${inDays(UNUSED_KEPT_MS)}`,
  fields: { _id: text, png: bytes, usedAt: date },
});
