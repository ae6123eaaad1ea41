import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

/** How an application authenticates to APNs. */
export type ApnsProof =
  | { readonly by: 'token'; readonly key: KeyObject; readonly keyId: string; readonly teamId: string }
  | { readonly by: 'certificate'; readonly tls: CertificateOptions };

export interface CertificateOptions {
  /** PEM, with its issuers. */
  readonly cert: string;
  readonly key: string;
}

export interface ApnsCredential {
  readonly bundleId: string;
  readonly sandbox: boolean;
  readonly proof: ApnsProof;
}

const SANDBOX = '0';

/** The curve of ES256, the only algorithm of APNs tokens. */
const TOKEN_CURVE = 'prime256v1';

/** The stored settings of iOS: a key that signs tokens, or a certificate with its key (R-A2, R-A6). */
export const apnsCredential: CredentialDefinition<ApnsCredential> = {
  requiredFor: () => ['ios_key_file'],

  async read({ settings }, open) {
    const text = (name: string): string => settings.get(name) ?? '';
    const file = Buffer.from(text('ios_key_file'), 'base64');
    if (file.length === 0) return localResults.notConfigured;
    const sandbox = text('ios_gateway') === SANDBOX;
    const { key: pem, certificates } = await open.file(file, text('ios_key_password'));
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
  },

  identityOf({ sandbox, proof }) {
    const environment = sandbox ? 'sandbox' : 'production';
    if (proof.by === 'certificate') return [environment, proof.tls.cert];
    const key = createPublicKey(proof.key).export({ type: 'spki', format: 'der' });
    return [environment, proof.teamId, proof.keyId, key.toString('base64')];
  },
};

/** The client certificate of a file. @throws Error if the key does not belong to the first certificate */
function clientCertificate(certificates: readonly string[], key: string) {
  const tls = { cert: certificates.join(''), key };
  createSecureContext(tls);
  return { tls, subject: new X509Certificate(certificates[0]!).subject };
}

/** Apple puts the bundle into the user id of the subject. */
const bundleOf = (subject: string): string => /^UID=(.+)$/m.exec(subject)?.[1] ?? '';
