import type { OwnerReplaced } from '@tidings/events/generated/tidings/events/v1/devices';

interface Owner {
  readonly user: string;
  readonly from: number;
}

type Owners = readonly Owner[];

/** The first user counts before its own start: clocks differ. */
export const ownerAt = (owners: Owners, at: number): string => {
  const last = owners.findLast(({ from }) => from <= at) ?? owners[0];
  return last?.user ?? '';
};

export function replacedOwners(
  { owners, user }: { readonly owners: Owners; readonly user: string },
  { from, to }: OwnerReplaced,
  at: number,
): Owners {
  const replaced = owners.map((owner) => (owner.user === from ? { ...owner, user: to } : owner));
  return replaced.at(-1)?.user === user ? replaced : [...replaced, { user, from: at }];
}
