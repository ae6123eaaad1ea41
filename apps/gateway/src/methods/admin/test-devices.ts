import { hash } from 'node:crypto';
import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { wholeList } from '../whole-list.ts';
import { requireApplication } from './existing-application.ts';

const NOT_FOUND = 'Test device not found';

export const listAllTestDevices: Handler<typeof api.listAllTestDevices, 'applications' | 'testDevices'> = async (
  { application },
  context,
) => {
  await requireApplication(context, application);
  const devices = await wholeList(
    async (after) => {
      const { devices: entries, next } = await context.testDevices.listTestDevices({ application, after });
      return { entries, next };
    },
    ({ pushToken, name }) => pushToken.length + name.length,
  );
  return {
    test_devices: devices.map(({ pushToken, name, platform, unconfirmed }) => ({
      token_hash: hash('sha256', pushToken),
      name,
      platform,
      confirmed: !unconfirmed,
    })),
  };
};

export const confirmTestDevice: Handler<typeof api.confirmTestDevice, 'applications' | 'testDevices'> = async (
  { application, token_hash: tokenHash, confirmed },
  context,
) => {
  await requireApplication(context, application);
  const { found } = await context.testDevices.confirmTestDevice({ application, tokenHash, confirmed });
  if (!found) throw Fault.notFound(NOT_FOUND);
  return { confirmed };
};

export const deleteTestDevice: Handler<typeof api.deleteTestDevice, 'applications' | 'testDevices'> = async (
  { application, token_hash: tokenHash },
  context,
) => {
  await requireApplication(context, application);
  const { found } = await context.testDevices.deleteTestDevice({ application, tokenHash });
  if (!found) throw Fault.notFound(NOT_FOUND);
};
