import { Fault } from '@tidings/kernel';
import type { Call, Context } from '../context.ts';
import type { ApplicationAccess } from './access.ts';
import { DENIED, FORBID } from './authorize.ts';

/** Whether the caller may use the application that owns the object named in the request. If not, the object is reported as not found (R-T7). */
export async function hasAccess({ access }: Context, { credentials }: Call, application: string): Promise<boolean> {
  if (!credentials) return false;
  const { kind } = await access.accessTo(credentials.token, credentials.secret, application);
  return kind === 'granted';
}

interface GroupAccess {
  readonly kind: ApplicationAccess['kind'];
  /** The accessible applications, in the order of the group. */
  readonly applications: readonly string[];
}

/**
 * The access of the caller to a group of applications: granted if every application in it is accessible. A group without applications is unknown
 * (R-I2).
 */
async function accessToGroup(
  { accounts, access }: Context,
  { account, credentials }: Call,
  group: string,
): Promise<GroupAccess> {
  if (!credentials) return { kind: 'unknown', applications: [] };
  const found = await accounts.findGroup({ account, group });
  const kinds = await Promise.all(
    found.applications.map(async (code) => (await access.accessTo(credentials.token, credentials.secret, code)).kind),
  );
  const applications = found.applications.filter((_, index) => kinds[index] === 'granted');
  if (kinds.includes('restricted')) return { kind: 'restricted', applications };
  return { kind: applications.length > 0 ? 'granted' : 'unknown', applications };
}

/** Whether the caller may use objects of a group. If not, they are reported as not found. */
export const hasAccessToGroup = async (context: Context, call: Call, group: string): Promise<boolean> =>
  (await accessToGroup(context, call, group)).kind === 'granted';

/** The applications of a group that takes the place of an application in a request: it is authorized like one (R-T5). */
export async function authorizeGroup(context: Context, call: Call, group: string): Promise<readonly string[]> {
  const { kind, applications } = await accessToGroup(context, call, group);
  if (kind === 'unknown') throw Fault.argument(DENIED);
  if (kind === 'restricted') throw Fault.forbidden(FORBID);
  return applications;
}
