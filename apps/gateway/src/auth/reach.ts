import type { Call, Context } from '../context.ts';

/**
 * Whether the caller may use an application that the request does not name, but the object that it names belongs to: where not, the object
 * is not found (R-T7).
 */
export async function isWithinReach({ access }: Context, { presented }: Call, application: string): Promise<boolean> {
  if (!presented) return false;
  const { kind } = await access.standing(presented.token, presented.secret, application);
  return kind === 'granted';
}
