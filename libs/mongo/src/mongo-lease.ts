import type { Clock } from '@tidings/kernel';
import type { Db } from 'mongodb';
import type { Model } from 'mongoose';
import { modelOf } from './models/model.ts';
import { type LeaseDocument, leasesModel } from './storage/leases.schema.ts';

const DUPLICATE_KEY = 11000;

/** Lets one of several processes do what need not be done twice. Two that do it at once for a moment are no harm. */
export class Lease {
  readonly #leases: Model<LeaseDocument>;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #owner: string;

  constructor(db: Db, clock: Clock, name: string, owner: string) {
    this.#leases = modelOf(db, leasesModel);
    this.#clock = clock;
    this.#name = name;
    this.#owner = owner;
  }

  /** Takes or renews the lease; false while another has it. */
  async take(ms: number): Promise<boolean> {
    const now = this.#clock.now();
    const mine = { _id: this.#name, $or: [{ owner: this.#owner }, { until: { $lte: new Date(now) } }] };
    try {
      await this.#leases.updateOne(mine, { $set: { owner: this.#owner, until: new Date(now + ms) } }, { upsert: true });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.#leases.deleteOne({ _id: this.#name, owner: this.#owner });
  }
}

/** Removes leases whose names begin with `prefix` and that ended before a time: a process that died has not given them back. */
export async function removeLeases(db: Db, prefix: string, before: Date): Promise<void> {
  const names = { $gte: prefix, $lt: `${prefix}\uffff` };
  await modelOf(db, leasesModel).deleteMany({ _id: names, until: { $lt: before } });
}
