import type { BadgeChange, Content } from '@tidings/events';
import { badgeChange, relativeBadge } from './badge.ts';
import type { PushKind } from './channel-definition.ts';
import { allDefinitions, definitionServing, variantOf } from './channels.ts';
import { type DeviceField, deviceFields } from './device-fields.ts';
import { inEveryLocale, inLanguage } from './locale-settings.ts';

const kindsOf = (content: Content | undefined): readonly PushKind[] =>
  allDefinitions().flatMap((definition) =>
    definition.platforms.flatMap((platform) =>
      definition.variantsFor(content).map((variant) => ({ platform, variant, content })),
    ),
  );

export const hasContent = (kind: PushKind, language: string): boolean =>
  kind.content !== undefined && definitionServing(kind).hasContent(inLanguage(kind, language), language);

export const badgeIn = (kind: PushKind, language: string): string | undefined =>
  hasContent(kind, language) ? definitionServing(kind).badgeOf(inLanguage(kind, language)) : undefined;

export const badgesOf = (kind: PushKind): readonly (string | undefined)[] =>
  inEveryLocale(kind).map((each) => definitionServing(kind).badgeOf(each));

export const badgeIncrement = (kind: PushKind, language: string): number | undefined =>
  relativeBadge(badgeIn(kind, language));

export const badgeChangeIn = (kind: PushKind, language: string): BadgeChange | undefined =>
  badgeChange(badgeIn(kind, language));

export const changesBadges = (content: Content | undefined): boolean =>
  kindsOf(content).some((kind) => badgesOf(kind).some((badge) => badge !== undefined));

export function deviceFieldsFor(content: Content | undefined): readonly DeviceField[] {
  const used = new Set(
    kindsOf(content)
      .map(variantOf)
      .flatMap(({ address, columns = [] }) => [address, ...columns]),
  );
  return deviceFields.filter((field) => used.has(field));
}
