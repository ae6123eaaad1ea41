import { bytes, defineModel, list, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

/** The record of a deployment's keys. */
export interface KeysDocument {
  readonly _id: 'check';
  /** The check value of the master key that seals. */
  readonly value: string;
  /** That of the master key which sealed before, until nothing is sealed with it any more. */
  readonly previous?: string;
  /** The services that have nothing sealed with that one any more; absent without one. */
  readonly resealed?: readonly string[];
  /** The identity keys, sealed with the master key that seals. Absent in a store of earlier versions. */
  readonly identity?: Uint8Array | Binary;
}

/** The keys that the data of a deployment is sealed with: one document. */
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
