import type { ProcessIdentity } from '@tidings/coordination';
import { date, number, object, optional, text } from '../models/fields.ts';
import { defineModel } from '../models/model.ts';

export interface LeaseDocument {
  readonly _id: string;
  readonly owner: string;
  readonly until: Date;
  readonly process?: ProcessIdentity;
  readonly rivalAt?: Date;
}

export const processIdentity = object<ProcessIdentity>({ space: text, pid: number, startedAt: text });

export const leasesModel = defineModel<LeaseDocument>({
  name: 'leases',
  retention: 'for ever: one document per relay and per process number',
  fields: { _id: text, owner: text, until: date, process: optional(processIdentity), rivalAt: optional(date) },
});
