import type { Content } from '@tidings/events';
import { relativeBadge } from './badge.ts';
import type { PushKind } from './channel-definition.ts';
import { allDefinitions, definitionServing, variantOf } from './channels.ts';
import { type DeviceField, deviceFields } from './device-fields.ts';

/** Every kind of push that a content may be sent as. */
const kindsOf = (content: Content | undefined): readonly PushKind[] =>
  allDefinitions().flatMap((definition) =>
    definition.platforms.flatMap((platform) =>
      definition.variantsFor(content).map((variant) => ({ platform, variant, content })),
    ),
  );

/** The number that is added to each device's badge; undefined unless the badge of these pushes is relative (R-C9). */
export const badgeIncrement = (kind: PushKind): number | undefined =>
  relativeBadge(definitionServing(kind).badgeOf(kind));

/** Whether a content has a relative badge for any device: their bases must be read. */
export const hasRelativeBadge = (content: Content | undefined): boolean =>
  kindsOf(content).some((kind) => badgeIncrement(kind) !== undefined);

/** The fields that choose between the variants of a content, and that its pushes use; in the order of {@link deviceFields}. */
export function deviceFieldsFor(content: Content | undefined): readonly DeviceField[] {
  const used = new Set(
    kindsOf(content)
      .map(variantOf)
      .flatMap(({ address, columns = [] }) => [address, ...columns]),
  );
  return deviceFields.filter((field) => used.has(field));
}
