import { Fault } from './fault.ts';

/** The maximum number of each resource; deleted ones do not count (R-LM7). */
export interface Quotas {
  /** Applications of an account. */
  readonly applications: number;
  /** Tags of an account, default tags not counted. */
  readonly tags: number;
  /** Presets of an application, or of an application group. */
  readonly presets: number;
  /** Filters of an application; those without an application are counted per account. */
  readonly filters: number;
  /** Geozones of an application. */
  readonly geozones: number;
  /** Test devices of an application. */
  readonly testDevices: number;
}

/** The default quotas (R-LM7). */
export const defaultQuotas: Quotas = {
  applications: 10_000,
  tags: 10_000,
  presets: 10_000,
  filters: 10_000,
  geozones: 10_000,
  testDevices: 100,
};

const things: Readonly<Record<keyof Quotas, string>> = {
  applications: 'Application',
  tags: 'Tag',
  presets: 'Preset',
  filters: 'Filter',
  geozones: 'Geozone',
  testDevices: 'Test device',
};

/** The refusal of a creation beyond a quota, e.g. `Tag limit reached (10000)` (R-LM7). */
export const quotaReached = (quota: keyof Quotas, limit: number): Fault =>
  Fault.argument(`${things[quota]} limit reached (${limit})`);
