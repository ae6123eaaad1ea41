import { Fault } from '@tidings/kernel';
import type { Grant } from '@tidings/rpc';
import { FORBID } from '../../auth/authorize.ts';
import type { Call, Context } from '../../context.ts';

/** What the caller's token may use now: an application that it has made a moment ago, too (R-T2). */
export async function grantOf({ presented }: Call, { access }: Context): Promise<Grant> {
  if (!presented) throw Fault.bug('a method of segments without a token');
  const { allApplications } = presented.token;
  const token = allApplications ? presented.token : await access.freshToken(presented.secret);
  if (!token) throw Fault.forbidden(FORBID);
  return { allApplications, applications: [...token.applications] };
}
