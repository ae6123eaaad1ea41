import { bytes, date, defineModel, number, object, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { withTheJob } from '../../jobs/storage/retention.ts';

export interface InputDocument {
  /** The job. */
  readonly _id: string;
  readonly at: Date;
  /** An encoded ExportInput. */
  readonly input: Uint8Array | Binary;
}

/** What the parts of a file come to, up to and with one of them. */
export interface Written {
  /** In bytes. */
  readonly size: number;
  readonly packedSize: number;
  readonly crc32: number;
}

/** A part of a file, and the attempt that has written it. */
export interface Part {
  readonly attempt: string;
  /** Blocks that the attempt has stored. */
  readonly blocks: number;
  readonly devices: number;
  readonly written: Written;
}

export interface PartDocument extends Part {
  /** `<job>/<part>`. */
  readonly _id: string;
  readonly part: number;
  readonly at: Date;
}

export interface BlockDocument {
  /** `<job>/<part>/<attempt>/<block>`. */
  readonly _id: string;
  readonly at: Date;
  readonly bytes: Uint8Array | Binary;
}

const age = [{ name: 'age', key: { at: 1 } }] as const;

/** What exports read. */
export const exportInputsModel = defineModel<InputDocument>({
  name: 'exportInputs',
  kept: withTheJob,
  fields: { _id: text, at: date, input: bytes },
  indexes: age,
});

/** The parts of archives that are whole. */
export const archivePartsModel = defineModel<PartDocument>({
  name: 'archiveParts',
  kept: withTheJob,
  fields: {
    _id: text,
    part: number,
    at: date,
    attempt: text,
    blocks: number,
    devices: number,
    written: object<Written>({ size: number, packedSize: number, crc32: number }),
  },
  indexes: age,
});

/** The bytes of archives. */
export const archiveBlocksModel = defineModel<BlockDocument>({
  name: 'archiveBlocks',
  kept: withTheJob,
  fields: { _id: text, at: date, bytes },
  indexes: age,
});
