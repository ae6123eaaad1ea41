import { bytes, defineModel, list, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

export interface KeysDocument {
  readonly _id: 'check';
  readonly value: string;
  readonly previous?: string;
  readonly resealed?: readonly string[];
  readonly identity?: Uint8Array | Binary;
}

export const masterKeyModel = defineModel<KeysDocument>({
  name: 'masterKey',
  retention: 'for ever',
  fields: {
    _id: text,
    value: text,
    previous: optional(text),
    resealed: optional(list(text)),
    identity: optional(bytes),
  },
});
