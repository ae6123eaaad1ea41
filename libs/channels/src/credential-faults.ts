export interface CredentialFault {
  readonly sentence: string;
  readonly remedy: string;
}

const CONFIGURE = 'and give it to configureApplication';

export const credentialFaults = {
  not_configured: {
    sentence:
      'Settings of the platform are missing: a .p8 key needs its key id, its team id and the bundle id, a certificate without a user id in its subject needs the bundle id.',
    remedy: 'Give the whole settings of the platform to configureApplication, or disable the platform.',
  },
  unusable_key: {
    sentence: 'The key, or the file that holds it, is damaged or in a format that cannot be read.',
    remedy: `Export the key again as .p12, .p8 or PEM, ${CONFIGURE}.`,
  },
  wrong_password: {
    sentence: 'The password of the key file is missing or wrong.',
    remedy: 'Give the file with its password to configureApplication.',
  },
  encrypted_key: {
    sentence: 'The private key is encrypted, and this setting has no password.',
    remedy: `Remove the password, as by \`openssl pkey -in key.pem -out plain.pem\`, ${CONFIGURE}.`,
  },
  missing_key: {
    sentence: 'The file or the text has no private key.',
    remedy: `Export the certificate together with its private key as .p12, ${CONFIGURE}.`,
  },
  missing_certificate: {
    sentence: 'The file has a private key without the certificate that the platform needs.',
    remedy: `Export the certificate together with its private key as .p12, ${CONFIGURE}.`,
  },
  unsupported_key: {
    sentence: 'The private key is of a kind or size that the provider does not take.',
    remedy: `Create a key of the kind that the field names: a .p8 key of P-256, an RSA key of 2048 to 4096 bits, Ed25519 for DKIM alone, ${CONFIGURE}.`,
  },
  mismatched_key: {
    sentence: 'The private key does not belong to the certificate or to the public key beside it.',
    remedy: 'Give both halves of the same pair to configureApplication.',
  },
  key_file_limits: {
    sentence: 'The key file exceeds the limits of key files.',
    remedy:
      'Export the key alone, with at most 64 KiB and 500,000 rounds of key derivation: docs/operations/limits.md#key-files has the limits.',
  },
  unusable_setting: {
    sentence: 'A key, an id or a password has characters that a request cannot carry.',
    remedy: 'Copy the value from the console of the provider again, without line ends or other characters around it.',
  },
  key_required: {
    sentence: 'The provider takes such pushes only with a .p8 key, and the application has a certificate.',
    remedy: 'Give a .p8 key with its key id, team id and bundle id to configureApplication.',
  },
  mms_by_smpp: {
    sentence: 'An SMS centre takes no media.',
    remedy: 'Configure an HTTP interface for SMS (sms_http_url) to send MMS.',
  },
  private_address: {
    sentence: 'The address leads to a private network, which this deployment does not connect to.',
    remedy: 'Configure a public address, or allow its range by TIDINGS_ALLOW_PRIVATE.',
  },
  invalid_address: {
    sentence: 'The address is none that can be connected to.',
    remedy: 'Give a host name and a port, or a web address, to configureApplication.',
  },
  access_refused: {
    sentence: 'The provider issues no access token for the credentials of the application.',
    remedy:
      'The provider has revoked the key, or it is not of this application: create another one there, and give it to configureApplication.',
  },
  access_token_too_long: {
    sentence: 'The provider issued an access token of more than 8 KiB, which cannot be sent.',
    remedy: 'Check the token_uri of the service account, or the address of tokens, and the scopes of the account.',
  },
} as const satisfies Readonly<Record<string, CredentialFault>>;

export type CredentialFaultName = keyof typeof credentialFaults;

export const credentialFault = (name: string): CredentialFault | undefined =>
  Object.hasOwn(credentialFaults, name) ? credentialFaults[name as CredentialFaultName] : undefined;

const ofMessages: ReadonlySet<string> = new Set<CredentialFaultName>(['key_required', 'mms_by_smpp']);

export const isCredentialFault = ({ category, name }: { readonly category: string; readonly name: string }): boolean =>
  category === 'INVALID_CONFIGURATION' && credentialFault(name) !== undefined && !ofMessages.has(name);
