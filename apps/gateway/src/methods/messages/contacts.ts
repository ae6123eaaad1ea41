import { disposableFault, emailFault } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import { type DeviceCommand, type PreparedAudience, Register } from '@tidings/rpc';
import type { Call, Context } from '../../context.ts';
import { checkPlatform } from '../devices/check-platform.ts';
import { commandOf } from '../devices/command.ts';
import type { Asked } from './draft.ts';

/** The unknown contacts of a message, if it names contacts. */
function unknownOf({ notification: { recipients } }: Asked, audience: PreparedAudience | undefined): readonly string[] {
  return recipients.kind === 'contacts' ? (audience?.unknown ?? []) : [];
}

/** Refuses messages to contacts that must be registered and are not (R-I25). */
export function refuseUnknownContacts(asked: readonly Asked[], audiences: readonly PreparedAudience[]): void {
  asked.forEach((each, index) => {
    const [unknown] = unknownOf(each, audiences[index]);
    const { recipients } = each.notification;
    if (unknown === undefined || each.unknownContacts !== 'refuse' || !('names' in recipients)) return;
    const place = (recipients.names as readonly string[]).indexOf(unknown);
    throw Fault.argument(`${each.paths.of('devices')}[${place}]: device is not registered`);
  });
}

/**
 * Registers the unknown contacts of messages that ask for it. Resolves to whether there were any.
 * @throws Fault `argument` if the operator does not allow the platform (R-E3)
 */
export async function registerContacts(
  application: string,
  asked: readonly Asked[],
  audiences: readonly PreparedAudience[],
  context: Context,
  call: Call,
): Promise<boolean> {
  const hwids = new Map<string, number>();
  asked.forEach((each, index) => {
    const { recipients } = each.notification;
    if (each.unknownContacts !== 'register' || recipients.kind !== 'contacts') return;
    for (const hwid of unknownOf(each, audiences[index])) hwids.set(hwid, recipients.platform);
  });
  const commands = [...hwids].flatMap(([hwid, platform]) => {
    // An address that is no valid one is left out (R-E8).
    if (platform === Platform.Email && !isMailable(hwid, context)) return [];
    const value = Register.fromPartial({ platform });
    checkPlatform(value, context, call);
    return [commandOf(call, { application, hwid }, { $case: 'register', value })];
  });
  if (commands.length === 0) return false;
  const isEmail = ({ command }: DeviceCommand): boolean =>
    command?.$case === 'register' && command.value.platform === Platform.Email;
  await context.deviceCommands.submitAll(
    call.pending,
    commands.filter((each) => !isEmail(each)),
  );
  await registerAddresses(commands.filter(isEmail), context, call);
  return true;
}

const isMailable = (address: string, { disposableDomains }: Context): boolean =>
  emailFault(address) === undefined && disposableFault(address, disposableDomains) === undefined;

/** Registers addresses, each on its own: one on the blacklist is left out (R-E8). */
async function registerAddresses(commands: readonly DeviceCommand[], context: Context, call: Call): Promise<void> {
  const ends = await Promise.allSettled(
    commands.map((command) => context.deviceCommands.submit(call.pending, command)),
  );
  for (const end of ends) {
    if (end.status === 'rejected' && Fault.from(end.reason).kind !== 'argument') throw end.reason;
  }
}
