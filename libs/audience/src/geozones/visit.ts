import { hash } from 'node:crypto';
import type { Geozone, GeozoneCluster } from '@tidings/events';
import { sameContentKey } from './texts.ts';

/** An activated, open zone around a device. */
export interface EnteredZone {
  readonly zone: Pick<Geozone, 'id' | 'cooldownSeconds' | 'content' | 'preset'>;
  /** Undefined without a cluster. */
  readonly cluster: Pick<GeozoneCluster, 'code' | 'cooldownSeconds'> | undefined;
}

/** The visitor by keyed hashes. */
export interface Visitor {
  readonly hwidHash: string;
  readonly user: string;
  /**
   * In the control group, or at its frequency cap: it is counted in the messages that it would have received, and begins no cooldown, because nothing
   * is sent (R-F4).
   */
  readonly isHeldBack?: boolean;
}

/** The pause after a send. */
export interface Cooldown {
  readonly id: string;
  readonly seconds: number;
}

/** The properties of a device that determine whether a message can be sent to it. */
export interface Addressee {
  readonly platform: number;
  readonly hasToken: boolean;
}

/**
 * Whether entering a zone is a send to the device, if no cooldown forbids it. A send is a message that is passed on for delivery, whatever its
 * outcome at the provider, and even if its platform is not configured: the device has a push token and one of the preset's platforms. Other visits
 * are not sends, so they begin no cooldown and are in no message (R-F4). Pure.
 * @param platforms codes; none = all
 */
export const isSend = ({ platform, hasToken }: Addressee, platforms: readonly number[]): boolean =>
  hasToken && (platforms.length === 0 || platforms.includes(platform));

/** The identity of a message: the preset, or the text (R-F4). */
const subjectsOf = ({ content, preset }: EnteredZone['zone']): string[] => [
  ...(preset === '' ? [] : [preset]),
  ...(content === '' ? [] : [hash('sha256', sameContentKey(content), 'base64url').slice(0, 22)]),
];

/** The cooldowns that prevent a zone from sending to a visitor, and that a send starts (R-F4). */
export function cooldownsOf({ zone, cluster }: EnteredZone, { hwidHash, user }: Visitor): Cooldown[] {
  const ofZone = { id: `${zone.id}/${hwidHash}`, seconds: zone.cooldownSeconds };
  if (!cluster) return [ofZone];
  const { code, cooldownSeconds: seconds } = cluster;
  return [ofZone, ...subjectsOf(zone).map((subject) => ({ id: `${code}/${user}/${subject}`, seconds }))];
}

/**
 * The zones that send, of those entered, nearest first: each whose cooldowns are over, including cooldowns begun by the zones before it. Pure.
 * @param lastSend start of a cooldown's last run
 */
export function sendingZones<Entered extends EnteredZone>(
  entered: readonly Entered[],
  visitor: Visitor,
  lastSend: (cooldown: string) => Date | undefined,
  at: Date,
): { readonly entered: Entered; readonly cooldowns: Cooldown[] }[] {
  const begun = new Map<string, Date>();
  const isOver = ({ id, seconds }: Cooldown): boolean => {
    const since = begun.get(id) ?? lastSend(id);
    // Reports may be decided in another order than they arrived: without a cooldown, an earlier one is sent, too.
    return !since || seconds === 0 || at.getTime() - since.getTime() >= seconds * 1000;
  };
  return entered.flatMap((each) => {
    const cooldowns = cooldownsOf(each, visitor);
    if (!cooldowns.every(isOver)) return [];
    if (visitor.isHeldBack) return [{ entered: each, cooldowns: [] }];
    for (const { id } of cooldowns) begun.set(id, at);
    return [{ entered: each, cooldowns }];
  });
}
