import type { WhatsAppContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { hasAnyText } from '../carried-content.ts';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';
import { whatsAppCredential, type WhatsAppCredential } from './whatsapp-credential.ts';
import { fitsWhatsApp, whatsAppPayload } from './whatsapp-payload.ts';
import { whatsAppRefusal } from './whatsapp-results.ts';

const valuesOf = ({ header, body, buttons }: WhatsAppContent): string[] =>
  [...(header ? [header] : []), ...body, ...buttons].map(({ text }) => text);

export const whatsapp: ChannelDefinition<WhatsAppCredential> = {
  platforms: [Platform.WhatsApp],
  variants: { [ALERT]: { channel: 'whatsapp' } },
  variantsFor: () => [ALERT],
  credential: whatsAppCredential,
  masksRepeats: false,
  tokenText: (token) => token,
  ownTextsOf: ({ whatsApp }) => ({
    localized: [whatsApp?.text],
    urls: whatsApp ? valuesOf(whatsApp) : [],
  }),
  hasContent: ({ content }, language) =>
    content!.whatsApp?.template !== undefined || hasAnyText([content!.whatsApp?.text ?? content!.text], language),
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile: whatsAppPayload,
  fits: fitsWhatsApp,
  refusal: whatsAppRefusal,
};
