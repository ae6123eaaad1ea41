import { ALERT, type ChannelDefinition, type Refusal, type SendResult, unlisted } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import { compilePayload, json, object, statisticsHash, text, textFor, token, variablesOf } from '@tidings/messaging';

export const TOY = 'toy';
export const TOY_PLATFORM = Platform.Amazon;

export interface ToyCredential {
  readonly client: string;
  readonly secret: string;
}

export const SIGNED = 'signed';

const LIMIT = 1_000;
const CLIENT = 'adm_cid';
const SECRET = 'adm_secret';

const gone: SendResult = { category: 'INVALID_TOKEN', code: '410', name: 'gone', then: { do: 'invalidate' } };

export const toy: ChannelDefinition<ToyCredential, typeof TOY> = {
  platforms: [TOY_PLATFORM],
  variants: { [SIGNED]: { channel: TOY, columns: ['publicKey'] }, [ALERT]: { channel: TOY } },
  variantsFor: () => [SIGNED, ALERT],
  credential: {
    requiredFor: () => [CLIENT, SECRET],
    read: async ({ settings }) => ({ client: settings.get(CLIENT)!, secret: settings.get(SECRET)! }),
    identityOf: ({ client, secret }) => [client, secret],
  },
  masksRepeats: false,
  tokenText: (given) => given.toUpperCase(),
  ownTextsOf: () => ({ localized: [], urls: [] }),
  hasContent: () => true,
  badgeOf: () => undefined,
  ttlSecondsOf: () => undefined,
  compile({ content, variant, ...message }, language, key) {
    const hash = { messageId: message.messageId, campaignId: message.campaignId, code: message.message };
    const body = textFor(content!.text, language) ?? '';
    const whole = object({
      to: token,
      says: text(body, { variables: variablesOf(content!), tags: content!.tags }),
      language: json(language),
      variant: json(variant),
      p: statisticsHash(hash, key),
    });
    return { payload: compilePayload(whole), limit: LIMIT };
  },
  fits: (body, limit) => body.length <= limit,
  refusal: (status, body): Refusal => ({ result: status === 410 ? gone : unlisted(status, body) }),
};
