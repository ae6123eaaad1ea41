import type { api } from '@tidings/contract';
import { Platform } from '@tidings/kernel';
import type { Handler } from '../../context.ts';
import { contactHwid } from '../emails/contact-hwid.ts';
import { checkPlatform } from '../../devices/check-platform.ts';
import { commandOf, registration } from '../../devices/command.ts';

/** Contacts come first: only a blacklisted address is refused later (R-X3). */
export const multiRegisterDevice: Handler<
  typeof api.multiRegisterDevice,
  'addressGuard' | 'deviceCommands' | 'devices' | 'disposableDomains' | 'locate'
> = async (input, context, call) => {
  const { application, devices } = input;
  // First, so that each has the index of its entry.
  devices.forEach(({ device }, i) => checkPlatform(device, context, call, `push_devices[${i}].push_token`));
  const register = async (some: typeof devices): Promise<void> => {
    const commands = some.map(({ hwid, device }) =>
      commandOf(call, { application, hwid }, registration(context, call, device)),
    );
    await context.deviceCommands.submitAll(call.pending, commands);
  };
  const isMail = ({ device }: (typeof devices)[number]): boolean => device.platform === Platform.Email;
  // The contact that holds an address may have another hwid (R-E1).
  const contacts = devices.filter(isMail).map(async (contact) => {
    const hwid = await contactHwid({ application, email: contact.hwid }, context, call);
    return { ...contact, hwid };
  });
  await register(await Promise.all(contacts));
  await register(devices.filter((each) => !isMail(each)));
};
