export type CertificateFault = 'expired' | 'untrusted' | 'host';

const untrusted = [
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_UNTRUSTED', 'CERT_REJECTED', 'CERT_REVOKED'],
  ...['CERT_NOT_YET_VALID', 'CERT_CHAIN_TOO_LONG', 'CERT_SIGNATURE_FAILURE', 'INVALID_CA', 'INVALID_PURPOSE'],
  ...['PATH_LENGTH_EXCEEDED', 'UNABLE_TO_DECRYPT_CERT_SIGNATURE', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'],
  ...['ERROR_IN_CERT_NOT_BEFORE_FIELD', 'ERROR_IN_CERT_NOT_AFTER_FIELD', 'CERT_STRICT', 'CA_MD_TOO_WEAK'],
  ...['EE_KEY_TOO_SMALL', 'CA_KEY_TOO_SMALL'],
];

const faults: ReadonlyMap<string, CertificateFault> = new Map<string, CertificateFault>([
  ['CERT_HAS_EXPIRED', 'expired'],
  ...untrusted.map((code) => [code, 'untrusted'] as const),
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'host'],
  ['HOSTNAME_MISMATCH', 'host'],
]);

export const certificateFault = (code: string): CertificateFault | undefined => faults.get(code);
