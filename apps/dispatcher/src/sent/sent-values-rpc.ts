import { sliceId } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import type { SentValues } from '@tidings/rpc';
import type { SentValuesStore } from './sent-values.ts';

const MAX_APPLICATIONS = 10_000;
const MAX_SLICES = 1_000;
const MAX_DEVICES = 1_000;

const checkCount = (count: number, max: number, noun: string): void => {
  if (count > max) throw Fault.argument(`at most ${max} ${noun}`);
};

export const sentValuesRpc = (store: SentValuesStore): SentValues => ({
  async keep({ of }) {
    checkCount(
      of.reduce((sum, { applications }) => sum + Math.max(1, applications.length), 0),
      MAX_APPLICATIONS,
      'applications',
    );
    for (const { account, applications } of of) await store.applications.keep(account, applications);
    return {};
  },

  async find({ slices }) {
    checkCount(slices.length, MAX_SLICES, 'slices');
    checkCount(
      slices.reduce((sum, { positions }) => sum + positions.length, 0),
      MAX_DEVICES,
      'devices',
    );
    const requests = slices.map(({ message, application, chunk, slice, positions }) => {
      if (!slice) throw Fault.argument('a slice is required');
      return { id: sliceId({ ...slice, message, application, chunk }), positions };
    });
    const found = await store.find(requests);
    return { found: found.map(({ index, batch }) => ({ slice: index, batch })) };
  },

  async erase({ devices }) {
    checkCount(devices.length, MAX_DEVICES, 'devices');
    await store.erase(devices);
    return {};
  },
});
