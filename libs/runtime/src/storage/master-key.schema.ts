import { bytes, defineModel, list, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';

/** The record of a deployment's keys. */
export interface KeysDocument {
  readonly _id: 'check';
  /** Check value of the current master key, which encrypts the data. */
  readonly value: string;
  /** Check value of the previous master key, until nothing is encrypted with it. */
  readonly previous?: string;
  /** Services that have nothing encrypted with the previous master key any more; absent without a previous one. */
  readonly resealed?: readonly string[];
  /** The identity keys, encrypted with the current master key. Absent in a store of earlier versions. */
  readonly identity?: Uint8Array | Binary;
}

/** The check values of the master keys that encrypt the data of a deployment: one document. */
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
