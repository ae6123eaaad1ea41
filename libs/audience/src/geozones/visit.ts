import { hash } from 'node:crypto';
import type { Geozone, GeozoneCluster } from '@tidings/events';
import { sameContentKey } from './texts.ts';

export interface EnteredZone {
  readonly zone: Pick<Geozone, 'id' | 'cooldownSeconds' | 'content' | 'preset'>;
  readonly cluster: Pick<GeozoneCluster, 'code' | 'cooldownSeconds'> | undefined;
}

export interface Visitor {
  readonly hwidHash: string;
  readonly user: string;
  /** Counted, but without a cooldown, because nothing is sent (R-F4). */
  readonly isExcluded?: boolean;
}

export interface Cooldown {
  readonly id: string;
  readonly seconds: number;
}

export interface Addressee {
  readonly platform: number;
  readonly hasToken: boolean;
}

/** Only sends begin cooldowns, whatever the provider's outcome (R-F4). @param platforms none = all */
export const isSend = ({ platform, hasToken }: Addressee, platforms: readonly number[]): boolean =>
  hasToken && (platforms.length === 0 || platforms.includes(platform));

const subjectsOf = ({ content, preset }: EnteredZone['zone']): string[] => [
  ...(preset === '' ? [] : [preset]),
  ...(content === '' ? [] : [hash('sha256', sameContentKey(content), 'base64url').slice(0, 22)]),
];

export function cooldownsOf({ zone, cluster }: EnteredZone, { hwidHash, user }: Visitor): Cooldown[] {
  const ofZone = { id: `${zone.id}/${hwidHash}`, seconds: zone.cooldownSeconds };
  if (!cluster) return [ofZone];
  const { code, cooldownSeconds: seconds } = cluster;
  return [ofZone, ...subjectsOf(zone).map((subject) => ({ id: `${code}/${user}/${subject}`, seconds }))];
}

export function sendingZones<Entered extends EnteredZone>(
  entered: readonly Entered[],
  visitor: Visitor,
  lastSend: (cooldown: string) => Date | undefined,
  at: Date,
): { readonly entered: Entered; readonly cooldowns: Cooldown[] }[] {
  const cooldownStarts = new Map<string, Date>();
  const isOver = ({ id, seconds }: Cooldown): boolean => {
    const since = cooldownStarts.get(id) ?? lastSend(id);
    // Reports may be decided in another order than they arrived.
    return !since || seconds === 0 || at.getTime() - since.getTime() >= seconds * 1000;
  };
  return entered.flatMap((each) => {
    const cooldowns = cooldownsOf(each, visitor);
    if (!cooldowns.every(isOver)) return [];
    if (visitor.isExcluded) return [{ entered: each, cooldowns: [] }];
    for (const { id } of cooldowns) cooldownStarts.set(id, at);
    return [{ entered: each, cooldowns }];
  });
}
