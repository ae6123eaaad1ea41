import type { Call, Context } from '../context.ts';
import type { ApplicationAccess } from './access.ts';

/** Whether the caller may use the application that owns the object named in the request. If not, the object is reported as not found (R-T7). */
export async function hasAccess({ access }: Context, { credentials }: Call, application: string): Promise<boolean> {
  if (!credentials) return false;
  const { kind } = await access.accessTo(credentials.token, credentials.secret, application);
  return kind === 'granted';
}

/**
 * The access of the caller to a group of applications: granted if every application in it is accessible. A group without applications is unknown
 * (R-I2).
 */
export async function accessToGroup(
  { accounts, access }: Context,
  { account, credentials }: Call,
  group: string,
): Promise<ApplicationAccess['kind']> {
  if (!credentials) return 'unknown';
  const { applications } = await accounts.findGroup({ account, group });
  const kinds = await Promise.all(
    applications.map(async (code) => (await access.accessTo(credentials.token, credentials.secret, code)).kind),
  );
  if (kinds.includes('restricted')) return 'restricted';
  return kinds.includes('granted') ? 'granted' : 'unknown';
}
