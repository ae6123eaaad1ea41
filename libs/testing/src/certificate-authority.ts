import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

const { pki, md } = forge;
const DAY_MS = 86_400_000;

export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateAuthority {
  readonly ca: string;
  /** @param host a name beside `127.0.0.1` */
  issue(host: string): IssuedCertificate;
}

function keyPair() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signing = pki.privateKeyFromPem(key);
  return { key, signing, verifying: pki.setRsaPublicKey(signing.n, signing.e) };
}

export function certificateAuthority(name: string): CertificateAuthority {
  const own = keyPair();
  const issuer = [{ shortName: 'CN', value: name }];
  let serial = 0;
  const sign = (verifying: forge.pki.rsa.PublicKey, subject: string, extensions: object[]): string => {
    const certificate = pki.createCertificate();
    certificate.publicKey = verifying;
    certificate.serialNumber = String(++serial).padStart(2, '0');
    certificate.validity.notBefore = new Date(Date.now() - DAY_MS);
    certificate.validity.notAfter = new Date(Date.now() + DAY_MS);
    certificate.setIssuer(issuer);
    certificate.setSubject([{ shortName: 'CN', value: subject }]);
    certificate.setExtensions(extensions);
    certificate.sign(own.signing, md.sha256.create());
    return pki.certificateToPem(certificate);
  };
  return {
    ca: sign(own.verifying, name, [{ name: 'basicConstraints', cA: true, critical: true }]),
    issue(host) {
      const { key, verifying } = keyPair();
      const altNames = [
        { type: 2, value: host },
        { type: 7, ip: '127.0.0.1' },
      ];
      return { key, cert: sign(verifying, host, [{ name: 'subjectAltName', altNames }]) };
    },
  };
}
