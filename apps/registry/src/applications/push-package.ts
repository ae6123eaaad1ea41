import { constants, hash, privateEncrypt } from 'node:crypto';
import { websitePushIdOf } from '@tidings/channels';
import { Fault } from '@tidings/kernel';
import { type KeyFile, openKeyFile } from '@tidings/runtime';
import { zipSync } from 'fflate';
import type { md, pki } from 'node-forge';
import { iconsetOf } from './iconset.ts';

/** The parts of a push package. */
export interface PushPackage {
  /** Code and title of the application. */
  readonly code: string;
  readonly title: string;
  /** A decrypted Safari setting by its name; "" if it is not set. */
  readonly setting: (name: string) => string;
  /** The URL at which Safari reaches this service. */
  readonly publicUrl: string;
  /** Time of the signature. */
  readonly at: Date;
}

const websiteOf = ({ code, title, setting, publicUrl }: PushPackage, certificate: string) => ({
  websiteName: setting('safari_website_name') || title,
  websitePushID: websitePushIdOf(certificate),
  allowedDomains: JSON.parse(setting('safari_allowed_domains') || '[]') as string[],
  urlFormatString: setting('safari_url_template'),
  // The package is the same for all visitors, so the token identifies the application.
  authenticationToken: hash('sha256', code).slice(0, 32),
  webServiceURL: publicUrl,
});

/** The DigestInfo prefix of SHA-256 in an RSA signature (RFC 8017, 9.2). */
const SHA256_PREFIX = Buffer.from('3031300d060960864801650304020105000420', 'hex');

/** Signs in OpenSSL: forge blocks the event loop for a second with 4096 bits. */
const signingKey = (pem: string): pki.rsa.PrivateKey =>
  ({
    sign(digest: md.MessageDigest) {
      const info = Buffer.concat([SHA256_PREFIX, Buffer.from(digest.digest().getBytes(), 'latin1')]);
      return privateEncrypt({ key: pem, padding: constants.RSA_PKCS1_PADDING }, info).toString('latin1');
    },
  }) as pki.rsa.PrivateKey;

/** A detached PKCS#7 signature in DER, with all configured certificates. */
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

/**
 * The zipped push package of a website, as Safari requires it before asking a visitor: the website's description, its icons, a manifest of both and
 * its signature. Undefined without a stored key. A website without an icon has a plain one.
 * @throws Fault `argument` if key, certificate or icon are unusable
 */
export async function pushPackageOf(made: PushPackage): Promise<Buffer | undefined> {
  const file = Buffer.from(made.setting('safari_key_file'), 'base64');
  if (file.length === 0) return undefined;
  const keyFile = await openKeyFile(file, made.setting('safari_key_password'));
  try {
    const files: Record<string, Buffer> = {
      ...iconsetOf(Buffer.from(made.setting('safari_icon_file'), 'base64')),
      'website.json': Buffer.from(JSON.stringify(websiteOf(made, keyFile.certificates[0]!))),
    };
    const entries = Object.entries(files).map(([path, bytes]) => [
      path,
      { hashType: 'sha512', hashValue: hash('sha512', bytes) },
    ]);
    const manifest = Buffer.from(JSON.stringify(Object.fromEntries(entries)));
    const signature = await signed(manifest, keyFile, made.at);
    return Buffer.from(zipSync({ ...files, 'manifest.json': manifest, signature }, { mtime: made.at }));
  } catch (error) {
    throw new Fault('argument', 'File cannot be opened', { cause: error });
  }
}
