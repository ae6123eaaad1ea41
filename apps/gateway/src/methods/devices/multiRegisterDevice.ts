import type { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { checkPlatform } from './check-platform.ts';
import { commandOf } from './command.ts';

/**
 * Whatever can be wrong with one of them was checked before, but for an address on the blacklist: it goes first. From there on registering
 * is repeated where it fails (R-ER10).
 */
export const multiRegisterDevice: Handler<typeof api.multiRegisterDevice> = async (input, context, call) => {
  const { application, devices } = input;
  for (const { device } of devices) checkPlatform(device, context, call);
  const register = async (some: typeof devices): Promise<void> => {
    const commands = some.map(({ hwid, device }) =>
      commandOf(call, { application, hwid }, { $case: 'register', value: device }),
    );
    await Promise.all(commands.map((command) => context.deviceCommands.submit(call.pending, command)));
  };
  await register(devices.filter(({ device }) => device.platform === Platform.Email));
  await register(devices.filter(({ device }) => device.platform !== Platform.Email));
};
