import type { OwnerReplaced } from '@tidings/events/generated/tidings/events/v1/devices';

/** A user of a device, and since when. */
interface Owner {
  readonly user: string;
  readonly from: number;
}

type Owners = readonly Owner[];

/** The user of a device at a moment, "" for nobody. The first one counts before its own start: clocks differ between processes. */
export const ownerAt = (owners: Owners, at: number): string => {
  const last = owners.findLast(({ from }) => from <= at) ?? owners[0];
  return last?.user ?? '';
};

/** The users after one was replaced; the current user stays the current one. */
export function replacedOwners(
  { owners, user }: { readonly owners: Owners; readonly user: string },
  { from, to }: OwnerReplaced,
  at: number,
): Owners {
  const replaced = owners.map((owner) => (owner.user === from ? { ...owner, user: to } : owner));
  return replaced.at(-1)?.user === user ? replaced : [...replaced, { user, from: at }];
}
