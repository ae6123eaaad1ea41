import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';

export const listDeletions: Handler<typeof api.listDeletions, 'system'> = async (_input, { system }) => ({
  deletions: (await system.deletions()).map(({ application, service, devices }) => ({
    application,
    service,
    devices: devices === undefined ? null : Number(devices),
  })),
});
