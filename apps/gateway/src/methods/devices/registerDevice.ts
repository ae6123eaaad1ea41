import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkPlatform } from '../../devices/check-platform.ts';
import { commandOf, registration } from '../../devices/command.ts';

type Registering = 'addressGuard' | 'deviceCommands' | 'disposableDomains' | 'locate';

export const registerDevice: Handler<typeof api.registerDevice, Registering> = async (input, context, call) => {
  checkPlatform(input.device, context, call);
  await context.deviceCommands.submit(call.pending, commandOf(call, input, registration(context, call, input.device)));
};

export const registerSmsNumber: Handler<typeof api.registerSmsNumber, Registering> = registerDevice;

export const registerWhatsappNumber: Handler<typeof api.registerWhatsappNumber, Registering> = registerDevice;
