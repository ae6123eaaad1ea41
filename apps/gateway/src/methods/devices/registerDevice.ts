import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkPlatform } from '../../devices/check-platform.ts';
import { commandOf, registration } from '../../devices/command.ts';

export const registerDevice: Handler<
  typeof api.registerDevice,
  'addressGuard' | 'deviceCommands' | 'disposableDomains' | 'locate'
> = async (input, context, call) => {
  checkPlatform(input.device, context, call);
  await context.deviceCommands.submit(call.pending, commandOf(call, input, registration(context, call, input.device)));
};

export const registerSmsNumber: Handler<
  typeof api.registerSmsNumber,
  'addressGuard' | 'deviceCommands' | 'disposableDomains' | 'locate'
> = registerDevice;

export const registerWhatsappNumber: Handler<
  typeof api.registerWhatsappNumber,
  'addressGuard' | 'deviceCommands' | 'disposableDomains' | 'locate'
> = registerDevice;
