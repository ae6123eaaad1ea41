import type { Call, Context } from '../../context.ts';

/** The address if no contact holds it (R-E1, R-C1). */
export async function contactHwid(
  { application, email }: { readonly application: string; readonly email: string },
  { devices }: Pick<Context, 'devices'>,
  { account }: Call,
): Promise<string> {
  const { hwids } = await devices.findContacts({ account, application, email });
  return hwids[0] ?? email;
}
