import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { localVerdicts, type Verdict } from '@tidings/delivery';
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

/** Reads what configureApplication stored for iOS; a verdict where nothing can be sent with it (R-A2, R-A6). */
export async function apnsCredential({ settings }: Credential): Promise<ApnsCredential | Verdict> {
  const text = (name: string): string => settings.get(name) ?? '';
  const file = Buffer.from(text('ios_key_file'), 'base64');
  if (file.length === 0) return localVerdicts.notConfigured;
  const sandbox = text('ios_gateway') === SANDBOX;
  try {
    const { key: pem, certificates } = await openKeyFile(file, text('ios_key_password'));
    if (pem === undefined) return localVerdicts.unusableKey;
    if (certificates.length > 0) {
      const tls = { cert: certificates.join(''), key: pem };
      // Throws where they do not belong together.
      createSecureContext(tls);
      const bundleId = text('ios_bundle_id') || bundleOf(new X509Certificate(certificates[0]!).subject);
      return bundleId === '' ? localVerdicts.notConfigured : { bundleId, sandbox, proof: { by: 'certificate', tls } };
    }
    const key = createPrivateKey(pem);
    const [keyId, teamId, bundleId] = [text('ios_key_id'), text('ios_team_id'), text('ios_bundle_id')];
    if (key.asymmetricKeyType !== 'ec') return localVerdicts.unusableKey;
    if (keyId === '' || teamId === '' || bundleId === '') return localVerdicts.notConfigured;
    return { bundleId, sandbox, proof: { by: 'token', key, keyId, teamId } };
  } catch {
    return localVerdicts.unusableKey;
  }
}

/** Apple puts the bundle into the user id of the subject. */
const bundleOf = (subject: string): string => /^UID=(.+)$/m.exec(subject)?.[1] ?? '';
