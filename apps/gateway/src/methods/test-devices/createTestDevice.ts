import type { api } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { FORBID } from '../../auth/authorize.ts';
import type { Handler } from '../../context.ts';
import { endpointFault } from '../../devices/check-platform.ts';

export const createTestDevice: Handler<
  typeof api.createTestDevice,
  'addressGuard' | 'testDeviceLimits' | 'testDevices'
> = async (input, context, call) => {
  const { application, push_token: pushToken, device_type: platform, name, description = '', language = '' } = input;
  const fault = endpointFault(platform, pushToken, context);
  if (fault !== undefined) throw Fault.argument(fault);
  const withoutToken = !call.credentials;
  if (withoutToken && call.application?.testDeviceTokenRequired) throw Fault.forbidden(FORBID);
  context.testDeviceLimits.take(application, call.address);
  const device = { pushToken, platform, name, description, language, unconfirmed: withoutToken };
  await context.testDevices.setTestDevice({ application, device, withoutToken });
};
