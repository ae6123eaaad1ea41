import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { localResults, type SendResult } from '@tidings/delivery';
import { Fault } from '@tidings/kernel';
import { openKeyFile } from '@tidings/runtime';
import type { Credential } from '../../credentials/credentials.ts';

/** How an application proves itself to APNs. */
export type ApnsProof =
  | { readonly by: 'token'; readonly key: KeyObject; readonly keyId: string; readonly teamId: string }
  | { readonly by: 'certificate'; readonly tls: CertificateOptions };

export interface CertificateOptions {
  /** PEM, with what it was issued by. */
  readonly cert: string;
  readonly key: string;
}

export interface ApnsCredential {
  readonly bundleId: string;
  readonly sandbox: boolean;
  readonly proof: ApnsProof;
}

const SANDBOX = '0';

/** The curve of ES256, the one algorithm that APNs takes tokens in. */
const TOKEN_CURVE = 'prime256v1';

/**
 * Reads what configureApplication stored for iOS; a result where nothing can be sent with it (R-A2, R-A6).
 * @throws Fault `unavailable` where it cannot be opened at this moment
 */
export async function apnsCredential({ settings }: Credential): Promise<ApnsCredential | SendResult> {
  const text = (name: string): string => settings.get(name) ?? '';
  const file = Buffer.from(text('ios_key_file'), 'base64');
  if (file.length === 0) return localResults.notConfigured;
  const sandbox = text('ios_gateway') === SANDBOX;
  try {
    const { key: pem, certificates } = await openKeyFile(file, text('ios_key_password'));
    if (pem === undefined) return localResults.unusableKey;
    if (certificates.length > 0) {
      const { subject, tls } = clientCertificate(certificates, pem);
      const bundleId = text('ios_bundle_id') || bundleOf(subject);
      return bundleId === '' ? localResults.notConfigured : { bundleId, sandbox, proof: { by: 'certificate', tls } };
    }
    const key = createPrivateKey(pem);
    const [keyId, teamId, bundleId] = [text('ios_key_id'), text('ios_team_id'), text('ios_bundle_id')];
    if (key.asymmetricKeyDetails?.namedCurve !== TOKEN_CURVE) return localResults.unusableKey;
    if (keyId === '' || teamId === '' || bundleId === '') return localResults.notConfigured;
    return { bundleId, sandbox, proof: { by: 'token', key, keyId, teamId } };
  } catch (error) {
    if (error instanceof Fault && error.kind === 'unavailable') throw error;
    return localResults.unusableKey;
  }
}

/** @throws Error where the key does not belong to the first certificate */
function clientCertificate(certificates: readonly string[], key: string) {
  const tls = { cert: certificates.join(''), key };
  createSecureContext(tls);
  return { tls, subject: new X509Certificate(certificates[0]!).subject };
}

/** Apple puts the bundle into the user id of the subject. */
const bundleOf = (subject: string): string => /^UID=(.+)$/m.exec(subject)?.[1] ?? '';
