import type { Content } from '@tidings/events';
import { openFrameLink, openHttp1Link, openNodeLink, type OpenLink } from '@tidings/http2';
import type { ChannelDeps } from './lane-world.ts';
import type { Kind, ProviderFaults, ProviderName, Simulators } from './test-simulators.ts';
import type { TestCredentials } from './test-credentials.ts';
import type { Channel } from '../channels/channel-port.ts';

export type Protocol = 'HTTP/1.1' | 'HTTP/2' | 'SMTP' | 'SMPP';

/** The subject of the suite. What a protocol does not have is a capability; the scenarios about it are left out. */
export interface ChannelSubject {
  readonly name: ProviderName;
  readonly platform: number;
  credentials(simulators: Simulators): TestCredentials;
  open(parts: ChannelDeps, simulators: Simulators): Channel;
  /** A token that makes the simulator give this answer. */
  token(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string;
  /** Further fields of the device with this token. @default none */
  columns?(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): ReadonlyMap<string, string>;
  readonly content?: Partial<Content>;
  readonly renews?: boolean;
  readonly masks?: boolean;
  readonly hasTtl?: boolean;
  /** Whether devices lose a token that is dead: contacts keep their addresses (R-P2). @default true */
  readonly invalidates?: boolean;
  /** The channel's name of the answer to a token that is refused again. @default 401 or 403 */
  readonly expired?: RegExp;
  /**
   * The protocol. A request of HTTP/1.1 that meets the end of its connection may have been taken: the protocol has no message that says that it was not.
   * @default HTTP/2
   */
  readonly protocol?: Protocol;
  /**
   * How the provider makes a credential wait: for a time that it states (`Retry-After`), for one that it does not state, or not at all, as its replies are about
   * single messages. @default stated
   */
  readonly throttle?: 'stated' | 'unstated' | 'none';
  /**
   * Whether batches forbid repeats of pushes in doubt, as the plan does where the provider cannot recognise repeats. @default false
   */
  readonly atMostOnce?: boolean;
  /**
   * Maximum messages that may be in doubt after a lost connection, where they are not repeated. 0: each connection carries one message at a time, and
   * ends before the message is handed over. @default 0
   */
  readonly inDoubtMax?: number;
  readonly repliesPerMessage?: number;
  readonly atOnce?: number;
  /** The provider that issues its access tokens. @default none: it needs no tokens */
  readonly tokensFrom?: ProviderName;
  /** Makes the provider refuse the credential at the next attempt to connect. @default it refuses none */
  readonly refuses?: {
    readonly fault: Partial<ProviderFaults>;
    readonly outcome: string;
  };
  /** Whether its provider may have another name than that of its address. @default true */
  readonly isNamed?: boolean;
  /** The channel's names of these answers. */
  readonly words: {
    readonly dead: string;
    readonly serverError: string;
    /** @default sent, or unclassified by its status */
    readonly unreadable?: RegExp;
    /** The outcome of a message that is not answered and not repeated. @default an unknown outcome */
    readonly silent?: string;
  };
}

type Links = readonly (readonly [string, OpenLink])[];

export const links: Readonly<Record<Protocol, Links>> = {
  'HTTP/2': [
    ['frames of our own', openFrameLink],
    ['node:http2', openNodeLink],
  ],
  'HTTP/1.1': [['HTTP/1.1', openHttp1Link]],
  // These channels open connections of their own.
  SMTP: [['SMTP', openNodeLink]],
  SMPP: [['SMPP', openNodeLink]],
};
