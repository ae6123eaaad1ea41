import type { Content } from '@tidings/events';
import { openFrameLink, openHttp1Link, openNodeLink, type OpenLink } from '@tidings/http2';
import type { ChannelDeps } from './lane-world.ts';
import type { Kind, ProviderFaults, ProviderName, Simulators } from './test-simulators.ts';
import type { TestCredentials } from './test-credentials.ts';
import type { Channel } from '../channels/channel-port.ts';

export type Protocol = 'HTTP/1.1' | 'HTTP/2' | 'SMTP' | 'SMPP';

export interface ChannelSubject {
  readonly name: ProviderName;
  readonly platform: number;
  credentials(simulators: Simulators): TestCredentials;
  open(parts: ChannelDeps, simulators: Simulators): Channel;
  token(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): string;
  columns?(kind: Exclude<Kind, 'reason'>, n: number, argument?: number): ReadonlyMap<string, string>;
  readonly content?: Partial<Content>;
  readonly renews?: boolean;
  readonly masks?: boolean;
  readonly hasTtl?: boolean;
  /** Contacts keep their addresses (R-P2). @default true */
  readonly invalidates?: boolean;
  readonly expired?: RegExp;
  /** HTTP/1.1 cannot say that a request was not processed. @default HTTP/2 */
  readonly protocol?: Protocol;
  /** `unstated`: without a `Retry-After`; `none`: replies concern single messages. @default stated */
  readonly throttle?: 'stated' | 'unstated' | 'none';
  readonly atMostOnce?: boolean;
  /** Messages in doubt after a lost connection, where they are not repeated. 0: one message at a time per connection. */
  readonly inDoubtMax?: number;
  readonly repliesPerMessage?: number;
  readonly atOnce?: number;
  readonly tokensFrom?: ProviderName;
  readonly refuses?: {
    readonly fault: Partial<ProviderFaults>;
    readonly outcome: string;
  };
  /** The provider may have another name than that of its address. @default true */
  readonly isNamed?: boolean;
  readonly words: {
    readonly dead: string;
    readonly serverError: string;
    readonly unreadable?: RegExp;
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
  SMTP: [['SMTP', openNodeLink]],
  SMPP: [['SMPP', openNodeLink]],
};
