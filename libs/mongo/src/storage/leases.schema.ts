import type { ProcessIdentity } from '@tidings/coordination';
import { date, number, object, optional, text } from '../models/fields.ts';
import { defineModel } from '../models/model.ts';

/** A lease of a process of a service: of work, of a relay, or of a number for ids. */
export interface LeaseDocument {
  readonly _id: string;
  /** Random for each holder: neither host names nor process ids identify a process. */
  readonly owner: string;
  readonly until: Date;
  /** Absent if other processes cannot see whether the holder has ended. */
  readonly process?: ProcessIdentity;
  /** Time at which another process last asked for the lease of a relay. */
  readonly rivalAt?: Date;
}

/** The identity of a process, by which others on its host see whether it has ended. */
export const processIdentity = object<ProcessIdentity>({ space: text, pid: number, startedAt: text });

/** The leases of a service. */
export const leasesModel = defineModel<LeaseDocument>({
  name: 'leases',
  retention: 'for ever: one document per relay and per process number',
  fields: { _id: text, owner: text, until: date, process: optional(processIdentity), rivalAt: optional(date) },
});
