import type { Call, Context } from '../../context.ts';

export async function contactHwid(
  { application, email }: { readonly application: string; readonly email: string },
  { devices }: Pick<Context, 'devices'>,
  { account }: Call,
): Promise<string> {
  const { hwids } = await devices.findContacts({ account, application, email });
  return hwids[0] ?? email;
}
