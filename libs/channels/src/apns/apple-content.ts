import type { Content, IosContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import type { PushKind } from '../channel-definition.ts';

export interface AppleContent extends Partial<IosContent> {
  /** Pushed as a call (R-I24). */
  readonly voip?: boolean;
  readonly website?: boolean;
}

const overrides: ReadonlyMap<number, (content: Content) => AppleContent> = new Map([
  [Platform.iOS, ({ ios, voip }) => ({ ...ios, voip })],
  [Platform.MacOS, ({ mac }) => ({ ...mac })],
  [
    Platform.Safari,
    ({ safari }) => ({ text: safari?.text, title: safari?.title, ttlSeconds: safari?.ttlSeconds, website: true }),
  ],
]);

export function appleContentOf({ content, platform }: PushKind): AppleContent {
  if (!content) return {};
  const own = overrides.get(platform)?.(content) ?? {};
  return {
    ...own,
    text: own.text ?? content.text,
    title: own.title ?? content.title,
    subtitle: own.subtitle ?? content.subtitle,
  };
}
