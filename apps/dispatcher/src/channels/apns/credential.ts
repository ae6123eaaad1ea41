import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { localVerdicts, type Verdict } from '@tidings/delivery';
import type { Credential } from '../../credentials/credentials.ts';

/** How an application proves itself to APNs. */
export type ApnsProof =
  | { readonly by: 'token'; readonly key: KeyObject; readonly keyId: string; readonly teamId: string }
  | { readonly by: 'certificate'; readonly tls: CertificateOptions };

export interface CertificateOptions {
  readonly pfx?: Buffer;
  readonly passphrase?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface ApnsCredential {
  readonly bundleId: string;
  readonly sandbox: boolean;
  readonly proof: ApnsProof;
}

const SANDBOX = '0';

/** Reads what configureApplication stored for iOS; a verdict where nothing can be sent with it (R-A2, R-A6). */
export function apnsCredential({ settings }: Credential): ApnsCredential | Verdict {
  const text = (name: string): string => settings.get(name) ?? '';
  const file = Buffer.from(text('ios_key_file'), 'base64');
  if (file.length === 0) return localVerdicts.notConfigured;
  try {
    const pem = file.includes('-----BEGIN') ? file.toString('utf8') : undefined;
    if (pem === undefined || pem.includes('-----BEGIN CERTIFICATE-----')) {
      return byCertificate(settings, file, pem);
    }
    const key = createPrivateKey({ key: pem, passphrase: text('ios_key_password') });
    const [keyId, teamId, bundleId] = [text('ios_key_id'), text('ios_team_id'), text('ios_bundle_id')];
    if (key.asymmetricKeyType !== 'ec') return localVerdicts.unusableKey;
    if (keyId === '' || teamId === '' || bundleId === '') return localVerdicts.notConfigured;
    return { bundleId, sandbox: isSandbox(settings), proof: { by: 'token', key, keyId, teamId } };
  } catch {
    return localVerdicts.unusableKey;
  }
}

const isSandbox = (settings: ReadonlyMap<string, string>): boolean => settings.get('ios_gateway') === SANDBOX;

/** What Node's secure contexts can tell of the certificate in them. */
interface OpenedContext {
  readonly context: { getCertificate?(): Buffer | undefined };
}

function byCertificate(
  settings: ReadonlyMap<string, string>,
  file: Buffer,
  pem: string | undefined,
): ApnsCredential | Verdict {
  const passphrase = settings.get('ios_key_password') ?? '';
  const tls: CertificateOptions = pem === undefined ? { pfx: file, passphrase } : { cert: pem, key: pem, passphrase };
  // Throws where the password or the file is wrong.
  const opened = createSecureContext(tls) as unknown as OpenedContext;
  const der = opened.context.getCertificate?.();
  const bundleId = settings.get('ios_bundle_id') || (der ? bundleOf(new X509Certificate(der).subject) : '');
  if (bundleId === '') return localVerdicts.notConfigured;
  return { bundleId, sandbox: isSandbox(settings), proof: { by: 'certificate', tls } };
}

/** Apple puts the bundle into the user id of the subject. */
const bundleOf = (subject: string): string => /^UID=(.+)$/m.exec(subject)?.[1] ?? '';
