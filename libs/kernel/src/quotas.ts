import { Fault } from './fault.ts';

/** Deleted resources do not count (R-LM7). */
export interface Quotas {
  readonly applications: number;
  readonly tags: number;
  readonly presets: number;
  readonly filters: number;
  readonly geozones: number;
  readonly testDevices: number;
}

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

export const quotaReached = (quota: keyof Quotas, limit: number): Fault =>
  Fault.argument(`${things[quota]} limit reached (${limit})`);
