import type { Content, Localized } from '@tidings/events';
import type { Channel, PlatformCode } from '@tidings/kernel';
import type { CompiledPayload, MessageKey, OutgoingMessage } from '@tidings/messaging';
import type { CredentialDefinition } from './credential-definition.ts';
import type { AddressField, DeviceField } from './device-fields.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { Refusal } from './send-results.ts';

/** The variant of nearly all pushes. */
export const ALERT = 'alert';

/** The payload of a message for all devices of one language. */
export interface ChannelPayload {
  readonly payload: CompiledPayload;
  /** Maximum bytes of a body: one within the limit always fits, and a longer one has its trimmable text truncated to the limit. */
  readonly limit: number;
}

/** The parts of a channel's own content fields that its payloads use. */
export interface OwnTexts {
  readonly localized: readonly (Localized | undefined)[];
  /** URLs that may contain placeholders. */
  readonly urls: readonly (string | undefined)[];
}

/** The kind of the pushes of a batch: one platform, one variant, one content. */
export interface PushKind {
  readonly platform: number;
  readonly variant: string;
  readonly content?: Content | undefined;
}

/** The pushes of a message, of one kind. */
export type Push = OutgoingMessage &
  PushKind & {
    /** Seconds since the release of the message, in whole minutes. @default 0 */
    readonly ageSeconds?: number;
  };

/** A kind of pushes for the devices of a platform. */
export interface Variant<Name extends string = Channel> {
  /** The channel that serves it. */
  readonly channel: Name;
  /** The field with the address of a device. @default the push token */
  readonly address?: AddressField;
  /** Further fields that its pushes use, in the order of the batch's columns. Only devices with all of them get this variant. */
  readonly columns?: readonly DeviceField[];
}

/**
 * A channel without I/O: everything except its transport.
 * @typeParam Name channels that may serve its variants
 */
export interface ChannelDefinition<Credential = unknown, Name extends string = Channel> {
  /** The platforms whose devices get their tokens from this provider. A platform belongs to one channel. */
  readonly platforms: readonly PlatformCode[];
  /**
   * The kinds of pushes for devices of these platforms: a browser without keys may use another provider than one with keys. A batch has one variant,
   * so it has one credential and one kind of payload (sending 2).
   */
  readonly variants: Readonly<Record<string, Variant<Name>>>;
  /**
   * Names of the variants for a content, the preferred one first. A device gets the first one whose fields it has. With only a push token it gets the
   * first one that is addressed by it, and the channel decides.
   */
  variantsFor(content: Content | undefined): readonly string[];
  readonly credential: CredentialDefinition<Credential>;
  /**
   * Whether pushes carry an id by which a repeat replaces the original. If not, a device with an unknown outcome is not sent to again (sending 4).
   */
  readonly masksRepeats: boolean;
  /** Schedule of the retries of pushes. @default after 1 s to 10 min, for an hour (R-P1) */
  readonly retries?: RetrySchedule;
  /** A push token as it is stored and compared (R-RES2). */
  tokenText(token: string): string;
  /** The texts whose languages and placeholders must be known before devices are read (R-I15, R-I17). */
  ownTextsOf(content: Content): OwnTexts;
  /** Whether pushes in a language are sent (R-I22). @param kind with the settings of the language */
  hasContent(kind: PushKind, language: string): boolean;
  /** The badge of the pushes in one language: a number, a relative one such as "+1", or undefined (R-C9). */
  badgeOf(kind: PushKind): string | undefined;
  /**
   * Seconds after its release in which a push in one language is of use: it is not retried later, and the provider keeps it no longer unless the channel has a time of
   * its own for that; see `remainingTtl`. Undefined if the content has no TTL.
   */
  ttlSecondsOf(kind: PushKind): number | undefined;
  /**
   * Compiles pushes in a language; "" is for devices without a language.
   * @param key the message's, in the application of the devices
   * @param credential the sender's, for transports of HTTP/1.1 whose requests name it; undefined where nothing is sent, as in events
   */
  compile(push: Push, language: string, key: MessageKey, credential?: Credential): ChannelPayload;
  /** Whether the provider accepts a body by its own measure of bytes. @param limit the limit of its {@link ChannelPayload} */
  fits(body: Buffer, limit: number): boolean;
  /**
   * Whether an answer of the status 200 may be a refusal, by its body or its headers. Then {@link refusal} is asked about every answer, and
   * returns `sent` for an accepted push. Only transports of HTTP/1.1 read such answers. @default false: 200 is accepted
   */
  readonly readsSuccess?: boolean;
  /** The meaning of an answer other than 200. Bodies may be truncated, or undocumented. @param headers by their names in lower case */
  refusal(status: number, body: string, headers?: Readonly<Record<string, string | undefined>>): Refusal;
}
