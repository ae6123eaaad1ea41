import { constants, hash, type KeyObject, privateEncrypt } from 'node:crypto';
import { authenticationTokenOf, websitePushIdOf, type WebsiteVisitor } from '@tidings/channels';
import { Fault } from '@tidings/kernel';
import { type KeyFile, openKeyFile } from '@tidings/runtime';
import { zipSync } from 'fflate';
import type { md, pki } from 'node-forge';
import { iconsetOf } from './iconset.ts';

export interface Website {
  readonly code: string;
  readonly title: string;
  readonly setting: (name: string) => string;
}

export interface OpenedWebsite {
  readonly pushId: string;
  readonly keyFile: KeyFile;
  readonly icons: Readonly<Record<string, Buffer>>;
}

export interface PackageOptions {
  readonly publicUrl: string;
  readonly visitor: WebsiteVisitor;
  readonly visitorKey: KeyObject;
  readonly at: Date;
}

const unusable = (error: unknown): Fault => new Fault('argument', 'File cannot be opened', { cause: error });

export async function openWebsite({ setting }: Website): Promise<OpenedWebsite | undefined> {
  const file = Buffer.from(setting('safari_key_file'), 'base64');
  if (file.length === 0) return undefined;
  const keyFile = await openKeyFile(file, setting('safari_key_password'));
  try {
    const icons = iconsetOf(Buffer.from(setting('safari_icon_file'), 'base64'));
    return { pushId: websitePushIdOf(keyFile.certificates[0]!), keyFile, icons };
  } catch (error) {
    throw unusable(error);
  }
}

const webServiceOf = (code: string, publicUrl: string): string => `${publicUrl}/safari/${code}`;

const descriptionOf = (
  { code, title, setting }: Website,
  pushId: string,
  { publicUrl, visitor, visitorKey }: PackageOptions,
) => ({
  websiteName: setting('safari_website_name') || title,
  websitePushID: pushId,
  allowedDomains: JSON.parse(setting('safari_allowed_domains') || '[]') as string[],
  urlFormatString: setting('safari_url_template'),
  authenticationToken: authenticationTokenOf(visitorKey, code, visitor),
  webServiceURL: webServiceOf(code, publicUrl),
});

/** DigestInfo prefix of SHA-256 (RFC 8017, 9.2). */
const SHA256_PREFIX = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** OpenSSL: forge blocks the event loop for a second with 4096 bits. */
const signingKey = (pem: string): pki.rsa.PrivateKey =>
  ({
    sign(digest: md.MessageDigest) {
      const info = Buffer.concat([SHA256_PREFIX, Buffer.from(digest.digest().getBytes(), 'latin1')]);
      return privateEncrypt({ key: pem, padding: constants.RSA_PKCS1_PADDING }, info).toString('latin1');
    },
  }) as pki.rsa.PrivateKey;

async function signed(content: Buffer, { key, certificates }: KeyFile, at: Date): Promise<Buffer> {
  const { default: forge } = await import('node-forge');
  const { oids } = forge.pki;
  const message = forge.pkcs7.createSignedData();
  message.content = forge.util.createBuffer(content.toString('latin1'));
  for (const certificate of certificates) message.addCertificate(certificate);
  message.addSigner({
    key: signingKey(key!),
    certificate: certificates[0]!,
    digestAlgorithm: oids['sha256']!,
    authenticatedAttributes: [
      { type: oids['contentType']!, value: oids['data']! },
      { type: oids['messageDigest']! },
      { type: oids['signingTime']!, value: at.toISOString() },
    ],
  });
  message.sign({ detached: true });
  return Buffer.from(forge.asn1.toDer(message.toAsn1()).getBytes(), 'latin1');
}

export async function packageOf(website: Website, opened: OpenedWebsite, options: PackageOptions): Promise<Buffer> {
  const { pushId, keyFile, icons } = opened;
  try {
    const description = Buffer.from(JSON.stringify(descriptionOf(website, pushId, options)));
    const files: Record<string, Buffer> = { ...icons, 'website.json': description };
    const entries = Object.entries(files).map(([path, bytes]) => [
      path,
      { hashType: 'sha512', hashValue: hash('sha512', bytes) },
    ]);
    const manifest = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
    const signature = await signed(manifest, keyFile, options.at);
    return Buffer.from(zipSync({ ...files, 'manifest.json': manifest, signature }, { mtime: options.at, level: 0 }));
  } catch (error) {
    throw unusable(error);
  }
}
