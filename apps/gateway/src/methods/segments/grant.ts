import { Fault } from '@tidings/kernel';
import type { Grant } from '@tidings/rpc';
import type { Call } from '../../context.ts';

/** What the caller's token may use. */
export function grantOf({ presented }: Call): Grant {
  if (!presented) throw Fault.bug('a method of segments without a token');
  const { allApplications, applications } = presented.token;
  return { allApplications, applications: [...applications] };
}
