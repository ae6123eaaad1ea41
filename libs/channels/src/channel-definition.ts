import type { Content, Localized } from '@tidings/events';
import type { Channel, PlatformCode } from '@tidings/kernel';
import type { CompiledPayload, MessageKey, OutgoingMessage } from '@tidings/messaging';
import type { CredentialDefinition } from './credential-definition.ts';
import type { AddressField, DeviceField } from './device-fields.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { Refusal } from './send-results.ts';

export const ALERT = 'alert';

export interface ChannelPayload {
  readonly payload: CompiledPayload;
  /** Bytes; longer bodies have their trimmable text truncated. */
  readonly limit: number;
}

export interface OwnTexts {
  readonly localized: readonly (Localized | undefined)[];
  readonly urls: readonly (string | undefined)[];
}

export interface PushKind {
  readonly platform: number;
  readonly variant: string;
  readonly content?: Content | undefined;
}

export type Push = OutgoingMessage &
  PushKind & {
    /** Whole minutes since the release of the message. @default 0 */
    readonly ageSeconds?: number;
  };

export interface Variant<Name extends string = Channel> {
  readonly channel: Name;
  readonly address?: AddressField;
  /** Only devices with all of them get this variant. */
  readonly columns?: readonly DeviceField[];
}

export interface ChannelDefinition<Credential = unknown, Name extends string = Channel> {
  readonly platforms: readonly PlatformCode[];
  readonly variants: Readonly<Record<string, Variant<Name>>>;
  /** A device gets the first variant whose fields it has. */
  variantsFor(content: Content | undefined): readonly string[];
  readonly credential: CredentialDefinition<Credential>;
  /** Repeats replace the original; otherwise a device in doubt is not sent to again. */
  readonly masksRepeats: boolean;
  /** @default after 1 s to 10 min, for an hour (R-P1) */
  readonly retries?: RetrySchedule;
  /** A push token as it is stored and compared (R-RES2). */
  tokenText(token: string): string;
  ownTextsOf(content: Content): OwnTexts;
  hasContent(kind: PushKind, language: string): boolean;
  /** A number, or a relative one such as "+1" (R-C9). */
  badgeOf(kind: PushKind): string | undefined;
  ttlSecondsOf(kind: PushKind): number | undefined;
  /** @param key the message's, in the application of the devices @param credential absent where nothing is sent */
  compile(push: Push, language: string, key: MessageKey, credential?: Credential): ChannelPayload;
  fits(body: Buffer, limit: number): boolean;
  /** A 200 may be a refusal, so {@link refusal} judges every answer; HTTP/1.1 only. */
  readonly readsSuccess?: boolean;
  /** Bodies may be truncated or undocumented, and header names are in lower case. */
  refusal(status: number, body: string, headers?: Readonly<Record<string, string | undefined>>): Refusal;
}
