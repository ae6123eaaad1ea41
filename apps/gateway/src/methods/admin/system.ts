import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { rfc3339 } from '../times.ts';

export const settled: Handler<typeof api.settled, 'system'> = async ({ brief = false }, { system }) => {
  const open = await system.open({ brief });
  if (open.length > 0) throw Fault.conflict(open.join('\n'));
  return { settled: true };
};

export const advanceClock: Handler<typeof api.advanceClock, 'system'> = async ({ ms }, { system }) => ({
  now: rfc3339(new Date(await system.advanceClock(ms))),
});

export const listDeletions: Handler<typeof api.listDeletions, 'system'> = async (_input, { system }) => ({
  deletions: (await system.deletions()).map(({ application, service, devices }) => ({
    application,
    service,
    devices: devices === undefined ? null : Number(devices),
  })),
});
