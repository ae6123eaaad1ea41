import { bytes, date, defineModel, number, object, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { withTheJob } from '../../jobs/storage/retention.ts';

export interface InputDocument {
  /** Id of the job. */
  readonly _id: string;
  readonly at: Date;
  /** An encoded ExportInput. */
  readonly input: Uint8Array | Binary;
}

/** Totals of a file, up to and including a part. */
export interface Written {
  /** Size in bytes. */
  readonly size: number;
  readonly packedSize: number;
  readonly crc32: number;
}

/** A part of a file, and the attempt that wrote it. */
export interface Part {
  readonly attempt: string;
  /** Blocks stored by the attempt. */
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

/** Inputs of exports. */
export const exportInputsModel = defineModel<InputDocument>({
  name: 'exportInputs',
  retention: withTheJob,
  fields: { _id: text, at: date, input: bytes },
  indexes: age,
});

/** The complete parts of archives. */
export const archivePartsModel = defineModel<PartDocument>({
  name: 'archiveParts',
  retention: withTheJob,
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
  retention: withTheJob,
  fields: { _id: text, at: date, bytes },
  indexes: age,
});
