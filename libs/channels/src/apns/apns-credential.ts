import { Fault, Platform } from '@tidings/kernel';
import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type CredentialDefinition, headerText, type KeyOpener, type OpenedKeyFile } from '../credential-definition.ts';
import { localResults, type SendResult } from '../send-results.ts';

export type ApnsProof =
  | { readonly by: 'token'; readonly key: KeyObject; readonly keyId: string; readonly teamId: string }
  | { readonly by: 'certificate'; readonly tls: CertificateOptions };

export interface CertificateOptions {
  readonly cert: string;
  readonly key: string;
}

export interface ApnsCredential {
  readonly bundleId: string;
  readonly sandbox: boolean;
  readonly proof: ApnsProof;
}

const SANDBOX = '0';

const TOKEN_CURVE = 'prime256v1';

interface SettingNames {
  readonly files: readonly string[];
  readonly required: readonly string[];
  readonly password: string;
  readonly gateway?: string;
  readonly app?: { readonly bundleId: string; readonly keyId: string; readonly teamId: string };
}

/** macOS may have two files; Safari takes no key that signs tokens. */
const names: ReadonlyMap<number, SettingNames> = new Map([
  [
    Platform.iOS,
    {
      files: ['ios_key_file'],
      required: ['ios_key_file'],
      password: 'ios_key_password',
      gateway: 'ios_gateway',
      app: { bundleId: 'ios_bundle_id', keyId: 'ios_key_id', teamId: 'ios_team_id' },
    },
  ],
  [
    Platform.MacOS,
    {
      files: ['macos_cert_file', 'macos_key_file'],
      required: ['macos_gateway'],
      password: 'macos_key_password',
      gateway: 'macos_gateway',
      app: { bundleId: 'macos_bundle_id', keyId: 'macos_key_id', teamId: 'macos_team_id' },
    },
  ],
  [Platform.Safari, { files: ['safari_key_file'], required: ['safari_key_file'], password: 'safari_key_password' }],
]);

function namesOn(platform: number): SettingNames {
  const found = names.get(platform);
  if (!found) throw Fault.bug(`APNs has no settings for platform ${platform}`);
  return found;
}

async function openFiles(files: readonly Buffer[], password: string, open: KeyOpener): Promise<OpenedKeyFile> {
  const opened = await Promise.all(files.map((file) => open.file(file, password)));
  return {
    key: opened.find(({ key }) => key !== undefined)?.key,
    certificates: opened.find(({ certificates }) => certificates.length > 0)?.certificates ?? [],
  };
}

export const apnsCredential: CredentialDefinition<ApnsCredential> = {
  requiredFor: (platform) => namesOn(platform).required,

  async read({ platform, settings }, open) {
    const of = namesOn(platform);
    const text = (name = ''): string => settings.get(name) ?? '';
    const files = of.files.map((name) => Buffer.from(text(name), 'base64')).filter(({ length }) => length > 0);
    if (files.length === 0) return localResults.notConfigured;
    const sandbox = text(of.gateway) === SANDBOX;
    const { key: pem, certificates } = await openFiles(files, text(of.password), open);
    if (pem === undefined) return localResults.missingKey;
    const given = text(of.app?.bundleId).trim();
    if (given !== '' && headerText(given) === undefined) return localResults.unusableSetting;
    if (certificates.length > 0) return certificateCredential({ key: pem, certificates }, { bundleId: given, sandbox });
    if (!of.app) return localResults.missingCertificate;
    const [keyId, teamId] = [text(of.app.keyId).trim(), text(of.app.teamId).trim()];
    return tokenCredential(pem, { bundleId: given, sandbox, keyId, teamId });
  },

  identityOf({ sandbox, proof }) {
    const environment = sandbox ? 'sandbox' : 'production';
    if (proof.by === 'certificate') return [environment, proof.tls.cert];
    const key = createPublicKey(proof.key).export({ type: 'spki', format: 'der' });
    return [environment, proof.teamId, proof.keyId, key.toString('base64')];
  },
};

interface TokenSettings extends Pick<ApnsCredential, 'bundleId' | 'sandbox'> {
  readonly keyId: string;
  readonly teamId: string;
}

function tokenCredential(
  pem: string,
  { bundleId, sandbox, keyId, teamId }: TokenSettings,
): ApnsCredential | SendResult {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== TOKEN_CURVE) return localResults.unsupportedKey;
  if (keyId === '' || teamId === '' || bundleId === '') return localResults.notConfigured;
  return { bundleId, sandbox, proof: { by: 'token', key, keyId, teamId } };
}

function certificateCredential(
  { key, certificates }: { readonly key: string; readonly certificates: readonly string[] },
  { bundleId: given, sandbox }: Pick<ApnsCredential, 'bundleId' | 'sandbox'>,
): ApnsCredential | SendResult {
  const opened = createPrivateKey(key);
  const own = certificates.find((each) => new X509Certificate(each).checkPrivateKey(opened));
  if (own === undefined) return localResults.mismatchedKey;
  const bundleId = given || topicIn(new X509Certificate(own).subject);
  if (bundleId === '') return localResults.notConfigured;
  const tls = { cert: [own, ...certificates.filter((each) => each !== own)].join(''), key };
  createSecureContext(tls);
  return { bundleId, sandbox, proof: { by: 'certificate', tls } };
}

/** Apple puts the topic into the user id of the subject. */
const topicIn = (subject: string): string =>
  /^UID=(.+)$/m.exec(subject)?.[1] ?? /^CN=Website Push ID: (.+)$/m.exec(subject)?.[1] ?? '';

export const websitePushIdOf = (certificate: string): string => topicIn(new X509Certificate(certificate).subject);
