import { createECDH, createHash } from 'node:crypto';

export const platforms = [
  { code: 1, name: 'iOS', provider: 'apns', service: 'main' },
  { code: 3, name: 'Android', provider: 'fcm', service: 'main' },
  { code: 11, name: 'Chrome', provider: 'webpush', service: 'main' },
  { code: 12, name: 'Firefox', provider: 'webpush', service: 'firefox' },
] as const;
export type DemoPlatform = (typeof platforms)[number];

export const languages = ['en', 'de', 'fr', 'es'] as const;
export type Language = (typeof languages)[number];

export type Outcome = 'accepts' | 'dead' | 'told to wait once' | 'has no token';

export interface DemoDevice {
  readonly hwid: string;
  readonly platform: DemoPlatform;
  readonly language: Language;
  readonly outcome: Outcome;
  readonly token: string;
  readonly tags: Readonly<Record<string, string | number>>;
  readonly reportsDelivery: boolean;
  readonly reportsOpen: boolean;
}

const names = ['anna', 'boris', 'chloé', 'david', 'elif', 'finn'];
const plans = ['free', 'silver', 'gold'];

const outcomes: Readonly<Record<number, Outcome>> = {
  7: 'dead',
  10: 'told to wait once',
  17: 'told to wait once',
  20: 'has no token',
};

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

const tokens: Readonly<Record<DemoPlatform['provider'], (outcome: Outcome, n: number) => string>> = {
  apns(outcome, n) {
    if (outcome === 'dead') return `0badf00d0100${hex(n, 52)}`;
    if (outcome === 'told to wait once') return `0badf00d0301${hex(n, 52)}`;
    return `d${createHash('sha256').update(`demo ${n}`).digest('hex').slice(1)}`;
  },
  // A quota error would wait a minute (R-P1), too long for a demo.
  fcm(outcome, n) {
    if (outcome === 'dead') return `sim:dead:0:${n}`;
    if (outcome === 'told to wait once') return `sim:unavailable:1:${n}`;
    return `demo${n}:APA91b${createHash('sha512').update(`demo ${n}`).digest('base64url')}`;
  },
  webpush(outcome, n) {
    if (outcome === 'dead') return `/push/dead.0.${n}`;
    if (outcome === 'told to wait once') return `/push/throttled.1.${n}`;
    return `/push/accepted.0.${n}`;
  },
};

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

export function subscriptionKeys(path: string): { readonly public_key: string; readonly auth_token: string } {
  const id = path.slice('/push/'.length);
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(sha256(`web push key ${id}`));
  return {
    public_key: ecdh.getPublicKey('base64url'),
    auth_token: sha256(`web push auth ${id}`).toString('base64url', 0, 16),
  };
}

export function deviceOf(n: number): DemoDevice {
  const platform = platforms[n % platforms.length]!;
  const nth = Math.floor(n / platforms.length);
  const outcome = outcomes[nth % 50] ?? 'accepts';
  const name = names[nth % (names.length + 1)];
  return {
    hwid: `demo-${hex(n, 8)}`,
    platform,
    language: languages[nth % languages.length]!,
    outcome,
    token: outcome === 'has no token' ? '' : tokens[platform.provider](outcome, n),
    tags: { Level: (nth * 37) % 100, Plan: plans[nth % plans.length]!, ...(name === undefined ? {} : { Name: name }) },
    reportsDelivery: nth % 10 < 7,
    reportsOpen: nth % 10 < 2 || nth % 10 === 8,
  };
}

const MIN_LEVEL = 20;
const MAX_LEVEL = 79;

export const conditions = [
  ['Level', 'BETWEEN', [MIN_LEVEL, MAX_LEVEL]],
  ['Plan', 'IN', ['gold', 'silver']],
] as const;

/** A message to a segment goes to devices that have a token (R-H12). */
export const isAddressed = ({ tags, outcome }: DemoDevice): boolean =>
  Number(tags['Level']) >= MIN_LEVEL &&
  Number(tags['Level']) <= MAX_LEVEL &&
  tags['Plan'] !== 'free' &&
  outcome !== 'has no token';

export const content: Readonly<Record<Language, string>> = {
  en: 'Hello {{Name|CapitalizeFirst|friend}}, your week in numbers is here',
  de: 'Hallo {{Name|CapitalizeFirst|du}}, deine Woche in Zahlen ist da',
  fr: 'Bonjour {{Name|CapitalizeFirst|toi}}, ta semaine en chiffres est là',
  es: 'Hola {{Name|CapitalizeFirst|amigo}}, tu semana en números está aquí',
};

export function textFor({ language, tags }: DemoDevice): string {
  const name = tags['Name'];
  return content[language].replace(/\{\{Name\|CapitalizeFirst\|([^{}]*)\}\}/, (_whole, fallback: string) =>
    name === undefined ? fallback : `${String(name).charAt(0).toUpperCase()}${String(name).slice(1)}`,
  );
}
