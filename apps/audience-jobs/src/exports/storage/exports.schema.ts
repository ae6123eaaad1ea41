import { bytes, date, defineModel, number, object, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { withTheJob } from '../../jobs/storage/retention.ts';

export interface InputDocument {
  readonly _id: string;
  readonly at: Date;
  readonly input: Uint8Array | Binary;
}

export interface Written {
  readonly size: number;
  readonly packedSize: number;
  readonly crc32: number;
}

export interface Part {
  readonly attempt: string;
  readonly blocks: number;
  readonly devices: number;
  readonly written: Written;
}

export interface PartDocument extends Part {
  readonly _id: string;
  readonly part: number;
  readonly at: Date;
}

export interface BlockDocument {
  readonly _id: string;
  readonly at: Date;
  readonly bytes: Uint8Array | Binary;
}

const age = [{ name: 'age', key: { at: 1 } }] as const;

export const exportInputsModel = defineModel<InputDocument>({
  name: 'exportInputs',
  retention: withTheJob,
  fields: { _id: text, at: date, input: bytes },
  indexes: age,
});

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

export const archiveBlocksModel = defineModel<BlockDocument>({
  name: 'archiveBlocks',
  retention: withTheJob,
  fields: { _id: text, at: date, bytes },
  indexes: age,
});
