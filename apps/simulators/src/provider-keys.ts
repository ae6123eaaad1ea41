import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

export interface ApnsKey {
  /** Ten characters. */
  keyId: string;
  /** Ten characters. */
  teamId: string;
  /** PKCS #8 in PEM, as in the .p8 file. */
  privateKey: string;
  /** SPKI in PEM, for the simulator only. */
  publicKey: string;
}

export interface ServiceAccount {
  type: 'service_account';
  project_id: string;
  private_key_id: string;
  private_key: string;
  client_email: string;
  client_id: string;
  auth_uri: string;
  token_uri: string;
  universe_domain: string;
}

export interface ApnsPublicKey {
  keyId: string;
  teamId: string;
  /** SPKI in PEM. */
  publicKey: string;
  /** Topics that the key may push to. @default all */
  topics?: readonly string[] | undefined;
}

export interface GooglePublicKey {
  clientEmail: string;
  publicKey: string;
  /** @default any */
  projectId?: string | undefined;
}

export interface PublicKeys {
  /** Uncompressed points in base64url. Once there is one, others are refused. */
  vapid?: readonly string[] | undefined;
  apns?: readonly ApnsPublicKey[] | undefined;
  google?: readonly GooglePublicKey[] | undefined;
  /** Other secrets of a known client are refused. */
  clients?: readonly ClientSecret[] | undefined;
}

export interface ClientSecret {
  id: string;
  secret: string;
}

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789';
const tenCharacters = (): string => Array.from(randomBytes(10), (byte) => characters[byte % 34]).join('');

/** P-256; accepted once it is registered. */
export const generateApnsKey = (): ApnsKey => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { keyId: tenCharacters(), teamId: tenCharacters(), privateKey, publicKey };
};

/** RSA-2048, PKCS #8 in PEM; some 40 ms of CPU time. */
export const generateRsaKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

/** @param projectId @default 'tidings-demo' @param privateKey @default a new one */
export const generateServiceAccount = (
  tokenUrl: string,
  projectId = 'tidings-demo',
  privateKey = generateRsaKey(),
): ServiceAccount => ({
  type: 'service_account',
  project_id: projectId,
  private_key_id: randomBytes(20).toString('hex'),
  private_key: privateKey,
  client_email: `push-${randomBytes(4).toString('hex')}@${projectId}.iam.gserviceaccount.com`,
  client_id: String(randomBytes(6).readUIntBE(0, 6)),
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: tokenUrl,
  universe_domain: 'googleapis.com',
});

export const publicKeyOf = ({ client_email, project_id, private_key }: ServiceAccount): GooglePublicKey => ({
  clientEmail: client_email,
  projectId: project_id,
  publicKey: createPublicKey(private_key).export({ type: 'spki', format: 'pem' }).toString(),
});

/** In base64url: an uncompressed point, and 32 bytes. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

export const generateVapidKeys = (): VapidKeys => {
  // As JWK: ECDH leaves out the leading zeros of a scalar.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
};

type Known<T> = Omit<T, 'publicKey'> & { readonly key: KeyObject };

/** Without a key only the structure of a token is checked. */
export class Keys {
  #apns = new Map<string, Known<ApnsPublicKey>>();
  #google = new Map<string, Known<GooglePublicKey>>();
  #vapid = new Set<string>();
  #clients = new Map<string, string>();
  /** Cached results about a key are valid for one version only. */
  version = 0;

  /** Replaces keys with the same id. Throws if one is malformed, and then adds none. */
  register({ apns = [], google = [], vapid = [], clients = [] }: PublicKeys): void {
    const newApns = apns.map(({ publicKey, ...rest }) => ({ ...rest, key: createPublicKey(publicKey) }));
    const newGoogle = google.map(({ publicKey, ...rest }) => ({ ...rest, key: createPublicKey(publicKey) }));
    for (const known of newApns) this.#apns.set(known.keyId, known);
    for (const known of newGoogle) this.#google.set(known.clientEmail, known);
    for (const key of vapid) this.#vapid.add(key);
    for (const { id, secret } of clients) this.#clients.set(id, secret);
    this.version++;
  }

  apns(keyId: string): Known<ApnsPublicKey> | undefined {
    return this.#apns.get(keyId);
  }

  google(clientEmail: string): Known<GooglePublicKey> | undefined {
    return this.#google.get(clientEmail);
  }

  /** True if nothing is known of the client. */
  isClient(id: string, secret: string): boolean {
    return (this.#clients.get(id) ?? secret) === secret;
  }

  isVapid(key: string): boolean {
    return this.#vapid.size === 0 || this.#vapid.has(key);
  }
}
