import type { api } from '@tidings/contract';
import type { Register } from '@tidings/rpc';
import type { Call, Context, Handler } from '../../context.ts';
import { checkPlatform } from '../../devices/check-platform.ts';
import { commandOf, registration } from '../../devices/command.ts';
import { contactHwid } from './contact-hwid.ts';

interface Contact {
  readonly application: string;
  readonly email: string;
  readonly hwid?: string | undefined;
  readonly device: Omit<Register, 'located'>;
}

type Registering = 'addressGuard' | 'deviceCommands' | 'devices' | 'disposableDomains' | 'locate';

async function register(contact: Contact, context: Pick<Context, Registering>, call: Call): Promise<void> {
  const { application, device } = contact;
  checkPlatform(device, context, call);
  const hwid = contact.hwid ?? (await contactHwid(contact, context, call));
  const command = commandOf(call, { application, hwid }, registration(context, call, device));
  await context.deviceCommands.submit(call.pending, command);
}

export const registerEmail: Handler<typeof api.registerEmail, Registering> = register;

export const registerEmailUser: Handler<typeof api.registerEmailUser, Registering> = register;
