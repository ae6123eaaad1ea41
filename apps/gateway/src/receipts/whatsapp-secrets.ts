import { WHATSAPP_APP_SECRET, WHATSAPP_VERIFY_TOKEN } from '@tidings/channels';
import { Platform } from '@tidings/kernel';
import type { Accounts, ApplicationView } from '@tidings/rpc';
import { type MasterKeys, open } from '@tidings/runtime';

/** The secrets that an application shares with WhatsApp for receipts (R-A6); undefined where it has none. */
export interface WhatsAppSecrets {
  readonly appSecret: string | undefined;
  readonly verifyToken: string | undefined;
}

interface Entry {
  readonly version: number;
  readonly secrets: WhatsAppSecrets;
}

/** The platform whose contacts WhatsApp reaches. */
const PLATFORM = Platform.WhatsApp;
const MAX_ENTRIES = 1000;

export interface WhatsAppSecretsDeps {
  readonly accounts: Pick<Accounts, 'getCredential'>;
  readonly masterKeys: MasterKeys;
}

/** Reads the secrets of applications, once per version of their settings; undefined where WhatsApp is not configured. */
export function whatsAppSecrets({ accounts, masterKeys }: WhatsAppSecretsDeps) {
  const known = new Map<string, Entry>();

  const read = async (application: string): Promise<Entry> => {
    const { version, sealed } = await accounts.getCredential({ application, platform: PLATFORM });
    const secretIn = (field: string): string | undefined => {
      const bytes = sealed[field];
      return (bytes && open(masterKeys, { application, field }, bytes).toString('utf8')) || undefined;
    };
    const secrets = { appSecret: secretIn(WHATSAPP_APP_SECRET), verifyToken: secretIn(WHATSAPP_VERIFY_TOKEN) };
    return { version, secrets };
  };

  return async ({ code, platforms }: ApplicationView): Promise<WhatsAppSecrets | undefined> => {
    const view = platforms.find(({ platform }) => platform === PLATFORM);
    if (view?.configured !== true) return undefined;
    const cached = known.get(code);
    if (cached && cached.version >= view.credentialVersion) return cached.secrets;
    const entry = await read(code);
    if (known.size >= MAX_ENTRIES) known.clear();
    known.set(code, entry);
    return entry.secrets;
  };
}
