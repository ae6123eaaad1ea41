import { SMS_HTTP_TOKEN, WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import type { ApplicationView, Platforms } from '@tidings/rpc';
import { type MasterKeys, open } from '@tidings/runtime';

export type Secrets<Name extends string> = { readonly [Secret in Name]: string | undefined };

interface Entry<Name extends string> {
  readonly version: number;
  readonly secrets: Secrets<Name>;
}

const MAX_ENTRIES = 1000;

export interface ReceiptSecretsDeps {
  readonly platforms: Pick<Platforms, 'getCredential'>;
  readonly masterKeys: MasterKeys;
}

export type ReadSecrets<Name extends string> = (application: ApplicationView) => Promise<Secrets<Name> | undefined>;

function receiptSecrets<Name extends string>(
  { platforms, masterKeys }: ReceiptSecretsDeps,
  platform: number,
  fields: Readonly<Record<Name, string>>,
): ReadSecrets<Name> {
  const cache = new Map<string, Entry<Name>>();

  const read = async (application: string): Promise<Entry<Name>> => {
    const { version, sealed } = await platforms.getCredential({ application, platform });
    const secretIn = (field: string): string | undefined => {
      const bytes = sealed[field];
      return (bytes && open(masterKeys, { application, field }, bytes).toString('utf8')) || undefined;
    };
    const secrets = Object.entries<string>(fields).map(([name, field]) => [name, secretIn(field)]);
    return { version, secrets: Object.fromEntries(secrets) as Secrets<Name> };
  };

  return async ({ code, platforms }) => {
    const view = platforms.find((each) => each.platform === platform);
    if (view?.configured !== true) return undefined;
    const cached = cache.get(code);
    if (cached && cached.version >= view.credentialVersion) return cached.secrets;
    const entry = await read(code);
    if (cache.size >= MAX_ENTRIES) cache.clear();
    cache.set(code, entry);
    return entry.secrets;
  };
}

export const whatsAppSecrets = (deps: ReceiptSecretsDeps) =>
  receiptSecrets(deps, Platform.WhatsApp, { appSecret: WHATSAPP_APP_SECRET, verifyToken: WHATSAPP_VERIFY_TOKEN });

export const twilioSecrets = (deps: ReceiptSecretsDeps) =>
  receiptSecrets(deps, Platform.Sms, { authToken: SMS_HTTP_TOKEN });
