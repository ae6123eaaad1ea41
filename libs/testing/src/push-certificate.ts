import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

const { pki, pkcs12, asn1, md } = forge;
/** Apple's certificates name the topic in the user id of the subject. */
const UID = '0.9.2342.19200300.100.1.1';

export interface PushCertificate {
  readonly cert: string;
  readonly key: string;
  readonly p12: string;
}

/** @param uid topic in the subject. @default none */
export function pushCertificate(name: string, { uid, password = '' }: { uid?: string; password?: string } = {}) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const signing = pki.privateKeyFromPem(key);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.setRsaPublicKey(signing.n, signing.e);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(Date.now() - 86_400_000);
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  const subject = [...(uid === undefined ? [] : [{ type: UID, value: uid }]), { shortName: 'CN', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.sign(signing, md.sha256.create());
  const file = pkcs12.toPkcs12Asn1(signing, [certificate], password, { algorithm: '3des' });
  const p12 = Buffer.from(asn1.toDer(file).getBytes(), 'latin1').toString('base64');
  return { cert: pki.certificateToPem(certificate), key, p12 } satisfies PushCertificate;
}
