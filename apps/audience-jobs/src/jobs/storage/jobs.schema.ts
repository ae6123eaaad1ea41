import { defineStates } from '@tidings/event-store';
import { bytes, date, defineModel, inDays, list, number, object, oneOf, optional, text } from '@tidings/mongo';
import type { Binary } from 'mongodb';
import { type JobDocument, JOBS } from '../job-log.ts';
import { ACCEPTED_WITHIN_MS, KEPT_MS, withTheJob } from './retention.ts';

export const jobsModel = defineStates<JobDocument>({
  name: JOBS,
  retention: `${inDays(KEPT_MS)} from the end of the job`,
  fields: {
    status: oneOf('Pending', 'Completed', 'Failed'),
    account: text,
    queue: text,
    bytes: number,
    accepted: bytes,
    acceptedAt: date,
    parts: number,
    entries: number,
    done: number,
    notFound: number,
    failed: number,
    attempts: optional(number),
    workers: optional(list(text)),
    retryAt: optional(date),
    finishedAt: optional(date),
    reason: optional(number),
  },
  indexes: [
    { name: 'due', key: { status: 1, acceptedAt: 1 } },
    { name: 'queue', key: { status: 1, queue: 1, acceptedAt: 1 } },
    { name: 'account_accepted', key: { account: 1, acceptedAt: 1, _id: 1 } },
    { name: 'finished', key: { finishedAt: 1 } },
  ],
});

export interface JobPartDocument {
  readonly _id: string;
  readonly job: string;
  readonly number: number;
  readonly at: Date;
  readonly input: Uint8Array | Binary;
  readonly rest?: Uint8Array | Binary;
  readonly hwids?: readonly EntryDevicesDocument[];
  readonly outcome?: Uint8Array | Binary;
}

export interface EntryDevicesDocument {
  readonly entry: number;
  readonly hwids: readonly string[];
}

export const jobPartsModel = defineModel<JobPartDocument>({
  name: 'jobParts',
  retention: `${withTheJob}; ${inDays(ACCEPTED_WITHIN_MS)} if no job was accepted`,
  fields: {
    _id: text,
    job: text,
    number,
    at: date,
    input: bytes,
    rest: optional(bytes),
    hwids: optional(list(object<EntryDevicesDocument>({ entry: number, hwids: list(text) }))),
    outcome: optional(bytes),
  },
  indexes: [
    { name: 'job', key: { job: 1, number: 1 } },
    { name: 'age', key: { at: 1 } },
  ],
});
