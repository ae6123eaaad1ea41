import type { Content } from '@tidings/events';
import type { Channel, PlatformCode } from '@tidings/kernel';

/** The variant of nearly all pushes. */
export const ALERT = 'alert';

/** What a channel is, without input or output: everything that is not its transport. */
export interface ChannelDefinition {
  /** The platforms whose devices have their tokens from this provider. A platform belongs to one channel. */
  readonly platforms: readonly PlatformCode[];
  /**
   * The kinds of pushes that devices of these platforms get, each by the channel that serves it: a browser without keys may be served by another
   * provider than one with keys. A batch has one variant, so it has one credential and one kind of payload (sending 2).
   */
  readonly variants: Readonly<Record<string, Channel>>;
  /** The badge that a content asks for: a number, a relative one such as "+1", or undefined (R-C9). */
  badgeOf(content: Content | undefined): string | undefined;
  /** Seconds for which the provider keeps a push; undefined where the content does not say. */
  ttlSecondsOf(content: Content | undefined): number | undefined;
}
