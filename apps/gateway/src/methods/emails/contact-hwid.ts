import type { Call, Context } from '../../context.ts';

/** The hwid of the contact with this e-mail address: its own if it has one, else the address (R-E1, R-C1). */
export async function contactHwid(
  { application, email }: { readonly application: string; readonly email: string },
  { devices }: Pick<Context, 'devices'>,
  { account }: Call,
): Promise<string> {
  const { hwids } = await devices.findContacts({ account, application, email });
  return hwids.includes(email) ? email : (hwids[0] ?? email);
}
