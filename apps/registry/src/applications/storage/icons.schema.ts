import { bytes, date, defineModel, inDays, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

/** How long an icon stays that no application has. */
export const UNUSED_KEPT_MS = 86_400_000;

export interface IconDocument {
  /** SHA-256 of the PNG in hex. */
  readonly _id: string;
  readonly png: Uint8Array | Binary;
  /** When it was last given to an application. */
  readonly usedAt: Date;
}

/** The icons of applications. */
export const iconsModel = defineModel<IconDocument>({
  name: 'icons',
  kept: `${inDays(UNUSED_KEPT_MS)} after no application has it`,
  fields: { _id: text, png: bytes, usedAt: date },
});
