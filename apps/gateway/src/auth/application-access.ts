import { Fault } from '@tidings/kernel';
import type { Call, Context } from '../context.ts';
import type { ApplicationAccess } from './access.ts';
import { type Credentials, DENIED, FORBID } from './authorize.ts';

export async function hasAccess(
  { access }: Pick<Context, 'access'>,
  { credentials }: Call,
  application: string,
): Promise<boolean> {
  if (!credentials) return false;
  const { kind } = await access.accessTo(credentials.token, credentials.secret, application);
  return kind === 'granted';
}

type Kind = ApplicationAccess['kind'];

interface GroupAccess {
  readonly kind: Kind;
  readonly applications: readonly string[];
}

const kindsOf = (
  { access }: Pick<Context, 'access'>,
  credentials: Credentials,
  applications: readonly string[],
): Promise<Kind[]> =>
  Promise.all(
    applications.map(async (code) => (await access.accessTo(credentials.token, credentials.secret, code)).kind),
  );

export async function authorizeAll(
  context: Pick<Context, 'access'>,
  { credentials }: Call,
  applications: readonly string[],
): Promise<void> {
  const kinds = credentials ? await kindsOf(context, credentials, applications) : ['unknown'];
  if (kinds.includes('unknown')) throw Fault.argument(DENIED);
  if (kinds.includes('restricted')) throw Fault.forbidden(FORBID);
}

async function accessToGroup(
  context: Pick<Context, 'access' | 'accounts'>,
  { account, credentials }: Call,
  group: string,
): Promise<GroupAccess> {
  if (!credentials) return { kind: 'unknown', applications: [] };
  const found = await context.accounts.findGroup({ account, group });
  const kinds = await kindsOf(context, credentials, found.applications);
  const applications = found.applications.filter((_, index) => kinds[index] === 'granted');
  if (kinds.includes('restricted')) return { kind: 'restricted', applications };
  return { kind: applications.length > 0 ? 'granted' : 'unknown', applications };
}

export const hasAccessToGroup = async (
  context: Pick<Context, 'access' | 'accounts'>,
  call: Call,
  group: string,
): Promise<boolean> => (await accessToGroup(context, call, group)).kind === 'granted';

export async function authorizeGroup(
  context: Pick<Context, 'access' | 'accounts'>,
  call: Call,
  group: string,
): Promise<readonly string[]> {
  const { kind, applications } = await accessToGroup(context, call, group);
  if (kind === 'unknown') throw Fault.argument(DENIED);
  if (kind === 'restricted') throw Fault.forbidden(FORBID);
  return applications;
}
