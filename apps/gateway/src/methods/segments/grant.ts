import { Fault } from '@tidings/kernel';
import type { Grant } from '@tidings/rpc';
import { FORBID } from '../../auth/authorize.ts';
import type { Call, Context } from '../../context.ts';

export async function grantOf({ credentials }: Call, { access }: Pick<Context, 'access'>): Promise<Grant> {
  if (!credentials) throw Fault.bug('a segment method without a token');
  const { allApplications } = credentials.token;
  const token = allApplications ? credentials.token : await access.freshToken(credentials.secret);
  if (!token) throw Fault.forbidden(FORBID);
  return { allApplications, applications: [...token.applications] };
}
