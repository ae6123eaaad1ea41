import type { Content, Localized } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { ALERT, type ChannelDefinition, type OwnTexts } from '../channel-definition.ts';
import { lineCredential, type LineCredential } from './line-credential.ts';
import { fitsLine, lineHasContent, linePayload } from './line-payload.ts';
import { lineRefusal } from './line-results.ts';

const alternativesIn = ({ line }: Content): Localized => ({
  entries: (line?.templates ?? []).map(({ language, kind }) => ({
    language,
    text: kind?.$case === 'carousel' || kind?.$case === 'flex' ? (kind.value.altText ?? '') : '',
  })),
});

const urlsIn = ({ line }: Content): OwnTexts['urls'] =>
  (line?.templates ?? []).flatMap(({ kind }) => {
    if (kind?.$case === 'image') return [kind.value.url, kind.value.previewUrl];
    return kind?.$case === 'carousel' ? kind.value.urls : [];
  });

export const line: ChannelDefinition<LineCredential> = {
  platforms: [Platform.Line],
  variants: { [ALERT]: { channel: 'line' } },
  variantsFor: () => [ALERT],
  credential: lineCredential,
  // A repeat within 24 hours is recognized by its retry key.
  masksRepeats: true,
  tokenText: (token) => token,
  ownTextsOf: (content) => ({
    localized: [content.line?.text, alternativesIn(content)],
    urls: urlsIn(content),
  }),
  hasContent: lineHasContent,
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile: linePayload,
  fits: fitsLine,
  refusal: lineRefusal,
};
