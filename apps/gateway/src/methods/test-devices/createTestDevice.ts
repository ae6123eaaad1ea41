import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { endpointFault } from '../devices/check-platform.ts';

export const createTestDevice: Handler<typeof api.createTestDevice> = async (input, context, { address }) => {
  const { application, push_token: pushToken, device_type: platform, name, description = '', language = '' } = input;
  const fault = endpointFault(platform, pushToken, context);
  if (fault !== undefined) throw Fault.argument(fault);
  context.testDeviceLimits.take(application, address);
  await context.accounts.setTestDevice({ application, device: { pushToken, platform, name, description, language } });
};
