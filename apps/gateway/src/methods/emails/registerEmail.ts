import type { api } from '@tidings/contract';
import type { Handler } from '../../context.ts';
import { checkPlatform } from '../../devices/check-platform.ts';
import { commandOf, registration } from '../../devices/command.ts';
import { contactHwid } from './contact-hwid.ts';

export const registerEmail: Handler<
  typeof api.registerEmail,
  'addressGuard' | 'deviceCommands' | 'devices' | 'disposableDomains' | 'locate'
> = async (input, context, call) => {
  checkPlatform(input.device, context, call);
  const { application, device } = input;
  const hwid = input.hwid ?? (await contactHwid(input, context, call));
  await context.deviceCommands.submit(
    call.pending,
    commandOf(call, { application, hwid }, registration(context, call, device)),
  );
};
