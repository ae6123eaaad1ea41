import type { BadgeChange, Content } from '@tidings/events';
import { badgeChange, relativeBadge } from './badge.ts';
import type { PushKind } from './channel-definition.ts';
import { allDefinitions, definitionServing, variantOf } from './channels.ts';
import { type DeviceField, deviceFields } from './device-fields.ts';
import { inEveryLocale, inLanguage } from './locale-settings.ts';

/** Every kind of push that a content may be sent as. */
const kindsOf = (content: Content | undefined): readonly PushKind[] =>
  allDefinitions().flatMap((definition) =>
    definition.platforms.flatMap((platform) =>
      definition.variantsFor(content).map((variant) => ({ platform, variant, content })),
    ),
  );

/** Whether these pushes have anything for devices with a language (R-I22). */
export const hasContent = (kind: PushKind, language: string): boolean =>
  kind.content !== undefined && definitionServing(kind).hasContent(inLanguage(kind, language), language);

/** The badge of these pushes in a language: a number, a relative one such as "+1", or undefined (R-C9). */
export const badgeIn = (kind: PushKind, language: string): string | undefined =>
  hasContent(kind, language) ? definitionServing(kind).badgeOf(inLanguage(kind, language)) : undefined;

/** The badges of these pushes in all languages. */
export const badgesOf = (kind: PushKind): readonly (string | undefined)[] =>
  inEveryLocale(kind).map((each) => definitionServing(kind).badgeOf(each));

/** The number that is added to the badge of each device with a language; undefined unless the badge is relative there (R-C9). */
export const badgeIncrement = (kind: PushKind, language: string): number | undefined =>
  relativeBadge(badgeIn(kind, language));

/** What these pushes do to the badge of each device with a language (R-C9). */
export const badgeChangeIn = (kind: PushKind, language: string): BadgeChange | undefined =>
  badgeChange(badgeIn(kind, language));

export const changesBadges = (content: Content | undefined): boolean =>
  kindsOf(content).some((kind) => badgesOf(kind).some((badge) => badge !== undefined));

/** The fields that choose between the variants of a content, and that its pushes use; in the order of {@link deviceFields}. */
export function deviceFieldsFor(content: Content | undefined): readonly DeviceField[] {
  const used = new Set(
    kindsOf(content)
      .map(variantOf)
      .flatMap(({ address, columns = [] }) => [address, ...columns]),
  );
  return deviceFields.filter((field) => used.has(field));
}
