import type { Content, Localized } from '@tidings/events';
import type { Channel, PlatformCode } from '@tidings/kernel';
import type { CompiledPayload, MessageKey, OutgoingMessage } from '@tidings/messaging';
import type { CredentialDefinition } from './credential-definition.ts';
import type { Refusal } from './send-results.ts';

/** The variant of nearly all pushes. */
export const ALERT = 'alert';

/** The payload of a message for all devices of one language. */
export interface ChannelPayload {
  readonly payload: CompiledPayload;
  /** Bytes: a body within them is never too large, and a longer one has its trimmable text cut to them. */
  readonly limit: number;
}

/** What the payloads of a channel take from the fields of a content that are its own. */
export interface OwnTexts {
  readonly localized: readonly (Localized | undefined)[];
  /** URLs that may hold placeholders. */
  readonly urls: readonly (string | undefined)[];
}

/**
 * What a channel is, without input or output: everything that is not its transport.
 * @typeParam Name channels that may serve its variants
 */
export interface ChannelDefinition<Credential = unknown, Name extends string = Channel> {
  /** The platforms whose devices have their tokens from this provider. A platform belongs to one channel. */
  readonly platforms: readonly PlatformCode[];
  /**
   * The kinds of pushes that devices of these platforms get, each by the channel that serves it: a browser without keys may be served by another
   * provider than one with keys. A batch has one variant, so it has one credential and one kind of payload (sending 2).
   */
  readonly variants: Readonly<Record<string, Name>>;
  readonly credential: CredentialDefinition<Credential>;
  /**
   * Whether pushes carry an id by which a repeat replaces what it repeats. Where they do not, a device whose outcome is unknown is not sent
   * to again (sending 4).
   */
  readonly masksRepeats: boolean;
  /** A push token as it is stored and compared (R-RES2). */
  tokenText(token: string): string;
  /** The texts whose languages and placeholders have to be known before devices are read (R-I15, R-I17). */
  ownTextsOf(content: Content): OwnTexts;
  /** The badge that a content asks for: a number, a relative one such as "+1", or undefined (R-C9). */
  badgeOf(content: Content | undefined): string | undefined;
  /** Seconds for which the provider keeps a push; undefined where the content does not say. */
  ttlSecondsOf(content: Content | undefined): number | undefined;
  /**
   * Compiles a message in a language; "" is the one for devices without a language.
   * @param key the message's, in the application of the devices
   */
  compile(message: OutgoingMessage, language: string, key: MessageKey): ChannelPayload;
  /** Whether the provider takes a body, as it counts bytes. @param limit that of its {@link ChannelPayload} */
  fits(body: Buffer, limit: number): boolean;
  /** What an answer other than 200 means. Bodies may be cut, or anything else than what the provider documents. */
  refusal(status: number, body: string): Refusal;
}
