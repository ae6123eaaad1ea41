import type { Call, Context } from '../context.ts';
import type { Standing } from './access.ts';

/**
 * Whether the caller may use an application that the request does not name, but the object that it names belongs to: where not, the object
 * is not found (R-T7).
 */
export async function isWithinReach({ access }: Context, { credentials }: Call, application: string): Promise<boolean> {
  if (!credentials) return false;
  const { kind } = await access.standing(credentials.token, credentials.secret, application);
  return kind === 'granted';
}

/**
 * How the caller stands to a group of applications: it may use it where it may use all that are there. One that none is left of is unknown
 * (R-I2).
 */
export async function standingToGroup(
  { accounts, access }: Context,
  { account, credentials }: Call,
  group: string,
): Promise<Standing['kind']> {
  if (!credentials) return 'unknown';
  const { applications } = await accounts.findGroup({ account, group });
  const kinds = await Promise.all(
    applications.map(async (code) => (await access.standing(credentials.token, credentials.secret, code)).kind),
  );
  if (kinds.includes('restricted')) return 'restricted';
  return kinds.includes('granted') ? 'granted' : 'unknown';
}
