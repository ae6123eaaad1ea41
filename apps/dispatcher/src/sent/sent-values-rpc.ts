import { sliceId } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import type { SentValues } from '@tidings/rpc';
import type { SentValuesStore } from './sent-values.ts';

const MAX_APPLICATIONS = 10_000;
const MAX_SLICES = 1_000;
const MAX_DEVICES = 1_000;

const within = (count: number, max: number, what: string): void => {
  if (count > max) throw Fault.argument(`at most ${max} ${what}`);
};

export const sentValuesRpc = (store: SentValuesStore): SentValues => ({
  async keep({ of }) {
    within(
      of.reduce((sum, { applications }) => sum + Math.max(1, applications.length), 0),
      MAX_APPLICATIONS,
      'applications',
    );
    for (const { account, applications } of of) await store.applications.keep(account, applications);
    return {};
  },

  async find({ slices }) {
    within(slices.length, MAX_SLICES, 'slices');
    within(
      slices.reduce((sum, { positions }) => sum + positions.length, 0),
      MAX_DEVICES,
      'devices',
    );
    const wanted = slices.map(({ message, application, chunk, slice, positions }) => {
      if (!slice) throw Fault.argument('a slice is required');
      return { id: sliceId({ ...slice, message, application, chunk }), positions };
    });
    const found = await store.find(wanted);
    return { found: found.map(({ index, batch }) => ({ slice: index, batch })) };
  },

  async erase({ devices }) {
    within(devices.length, MAX_DEVICES, 'devices');
    await store.erase(devices);
    return {};
  },
});
