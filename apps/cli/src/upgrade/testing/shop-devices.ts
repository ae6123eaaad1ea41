import {
  apnsToken,
  fcmToken,
  generateServiceAccount,
  generateVapidKeys,
  lineUser,
  mailAddress,
  type ProviderName,
  publicKeyOf,
  simulatedPhone,
  smsNumber,
  specialToken,
  webPushSubscription,
} from '@tidings/simulators';
import type { Parameters, World } from '@tidings/testing';

export const IOS = 1;
export const ANDROID = 3;
export const CHROME = 11;
export const EMAIL = 14;
export const HUAWEI = 17;

type Kind = 'accepted' | 'dead';

interface ShopPlatform {
  readonly code: number;
  readonly provider: ProviderName;
  readonly devices: number;
  readonly device: (kind: Kind, n: number, world: World) => { readonly fields: Parameters; readonly token: string };
  readonly settings?: (world: World) => Parameters;
}

const pushed = (push_token: string) => ({ fields: { push_token }, token: push_token });

function browser(kind: Kind, n: number, { simulators }: World) {
  const { path, publicKey, authToken } = webPushSubscription(kind, n);
  const fields = { push_token: `${simulators.webPushUrl}${path}`, public_key: publicKey, auth_token: authToken };
  return { fields, token: path };
}

function chromeSettings({ simulators }: World): Parameters {
  const account = generateServiceAccount(simulators.tokenUrl);
  const { publicKey: chrome_vapid_key, privateKey: chrome_vapid_private_key } = generateVapidKeys();
  simulators.keys.register({ google: [publicKeyOf(account)], vapid: [chrome_vapid_key] });
  return { chrome_fcm_service_account: account, chrome_vapid_key, chrome_vapid_private_key };
}

const platforms: readonly ShopPlatform[] = [
  { code: IOS, provider: 'apns', devices: 8, device: (kind, n) => pushed(apnsToken(kind, n)) },
  { code: ANDROID, provider: 'fcm', devices: 8, device: (kind, n) => pushed(fcmToken(kind, n)) },
  {
    code: CHROME,
    provider: 'webpush',
    devices: 3,
    device: browser,
    settings: chromeSettings,
  },
  {
    code: HUAWEI,
    provider: 'hms',
    devices: 3,
    device: (kind, n) => pushed(specialToken(kind, n)),
    settings: () => ({ huawei_app_id: 'shop', huawei_app_secret: 'secret' }),
  },
  {
    code: 9,
    provider: 'adm',
    devices: 2,
    device: (kind, n) => pushed(specialToken(kind, n)),
    settings: () => ({ adm_cid: 'shop', adm_secret: 'secret', adm_framework: 'native' }),
  },
  {
    code: EMAIL,
    provider: 'email',
    devices: 6,
    device(kind, n) {
      const email = mailAddress(kind, n);
      return { fields: { hwid: email, email }, token: email };
    },
    settings: () => ({
      email_from_email: 'shop@shop.example',
      email_from_name: 'Shop',
      email_reply: 'help@shop.example',
    }),
  },
  {
    code: 18,
    provider: 'smpp',
    devices: 2,
    device: (kind, n) => ({ fields: { hwid: smsNumber(kind, n) }, token: smsNumber(kind, n) }),
    settings({ simulators }) {
      const { hostname: sms_smpp_host, port: sms_smpp_port } = new URL(simulators.urlOf('smpp'));
      return { sms_smpp_host, sms_smpp_port, sms_system_id: 'shop', sms_password: 'secret', sms_sender: 'Shop' };
    },
  },
  {
    code: 21,
    provider: 'whatsapp',
    devices: 2,
    device: (kind, n) => ({ fields: { hwid: `whatsapp:${simulatedPhone(kind, n)}` }, token: simulatedPhone(kind, n) }),
    settings: () => ({ whats_app_phone_number_id: '106540352242922', whats_app_access_token: 'EAADEMO' }),
  },
  {
    code: 23,
    provider: 'line',
    devices: 2,
    device: (kind, n) => ({ fields: { hwid: lineUser(kind, n) }, token: lineUser(kind, n) }),
    settings: () => ({ line_channel_access_token: 'shop' }),
  },
];

export interface ShopDevice {
  readonly hwid: string;
  readonly platform: number;
  readonly provider: ProviderName;
  readonly token: string;
  readonly kind: Kind;
  readonly userId: string;
}

const NAMES = ['anna', 'boris', 'clara', 'dora', 'emil', 'frida'];
const LANGUAGES = ['en', 'de', 'fr'];
const HOUR = 3600;
/** The provider reports the token of this device as dead. */
const DEAD = 5;

export async function addTags(world: World): Promise<void> {
  const types = { Level: 1, Plan: 2, Interests: 3, Birthday: 4, Member: 5 };
  for (const [name, type] of Object.entries(types)) await world.call('addTag', { tag: { name, type } });
  await world.call('addTag', { tag: { name: 'Cart', type: 1, application_specific: true } });
}

export async function shopApplication(world: World, title: string): Promise<string> {
  const application = await world.application({ title });
  for (const { code: device_type, settings } of platforms) {
    if (settings) await world.call('configureApplication', { application, device_type, ...settings(world) });
  }
  return application;
}

/** @param first number of the first device, which no other application has */
export async function registerShop(world: World, application: string, first: number): Promise<ShopDevice[]> {
  const devices: ShopDevice[] = [];
  for (const { code, provider, devices: count, device: make } of platforms) {
    for (let i = 0; i < count; i++) {
      const n = first + devices.length;
      const kind: Kind = i === DEAD ? 'dead' : 'accepted';
      const { fields, token } = make(kind, n, world);
      const userId = NAMES[n % NAMES.length]!;
      const { hwid } = { hwid: `${provider}-${n}`, ...fields } as { readonly hwid: string };
      await world.call('registerDevice', {
        application,
        device_type: code,
        userId,
        ...fields,
        hwid,
        language: LANGUAGES[n % LANGUAGES.length],
        timezone: ((n % 5) - 2) * HOUR,
        app_version: `1.${n % 3}`,
        os_version: '17.1',
        device_model: 'Model',
        city: 'Berlin',
        country: 'DE',
        tags: {
          Level: n % 7,
          Plan: n % 2 ? 'free' : 'paid',
          Interests: n % 3 ? ['news', 'sport'] : ['music'],
          Birthday: `19${70 + (n % 30)}-03-14`,
          Member: n % 4 === 0,
          Cart: n,
        },
      });
      devices.push({ hwid, platform: code, provider, token, kind, userId });
    }
  }
  return devices;
}
