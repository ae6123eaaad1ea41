import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** A process's certificate and key, and its trusted CA certificates: PEM texts. */
export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** The security of connections to Kafka, if any. */
export interface KafkaSecurity {
  /** PEM texts; absent members are the system's. Undefined = no TLS. */
  readonly tls?: Partial<TlsIdentity> | undefined;
  readonly sasl?:
    | { readonly mechanism: (typeof saslMechanisms)[number]; readonly username: string; readonly password: string }
    | undefined;
}

/** The text of a PEM file, or the PEM text itself. */
export function pemOf(value: string): string {
  return value.startsWith('-----BEGIN ') ? value : readFileSync(value, 'utf8');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a PEM text, in their order. */
export const certificatesIn = (text: string): X509Certificate[] =>
  [...text.matchAll(CERTIFICATE)].map(([pem]) => new X509Certificate(pem));

/** A variable with the name of a PEM file, or its text. An invalid value is not included in errors: it may be a key. */
const pem = (check: (text: string) => unknown, wanted: string) =>
  z.string().transform((value, context) => {
    try {
      const text = pemOf(value);
      check(text);
      return text;
    } catch {
      context.addIssue(`must be a file that can be read, with ${wanted} in PEM`);
      return z.NEVER;
    }
  });

export const certificates = pem((text) => new X509Certificate(text), 'a certificate');
const privateKey = pem((text) => createPrivateKey(text), 'a private key without a password');

/** Variables of connections to other services and to Kafka. */
export const securityVariables = {
  GRPC_TLS_CERT: certificates.optional().meta({
    unset: 'no TLS, calls are authenticated by a key',
    description:
      'PEM file of the certificate for [mutual TLS between services](operations/access.md); with the next two, or none of them',
  }),
  GRPC_TLS_KEY: privateKey.optional().meta({ description: 'PEM file of its key' }),
  GRPC_TLS_CA: certificates.optional().meta({ description: 'PEM file of the CA of all services' }),
  KAFKA_SSL: z
    .enum(['0', '1', 'true', 'false'], 'must be true or false')
    .transform((flag) => flag === '1' || flag === 'true')
    .optional()
    .meta({ unset: 'TLS if `KAFKA_SSL_CA` or `KAFKA_SSL_CERT` is set', description: '`true`: TLS to Kafka' }),
  KAFKA_SSL_CA: certificates.optional().meta({ unset: "the system's CAs", description: 'PEM file of its CA' }),
  KAFKA_SSL_CERT: certificates
    .optional()
    .meta({ description: 'PEM file of the certificate of the client; together with its key' }),
  KAFKA_SSL_KEY: privateKey.optional().meta({ description: 'PEM file of its key' }),
  KAFKA_SASL_MECHANISM: z
    .string()
    .transform((name) => name.toUpperCase())
    .pipe(z.enum(saslMechanisms, `must be one of ${saslMechanisms.join(', ')}`))
    .optional()
    .meta({ unset: 'no user', description: '`PLAIN`, `SCRAM-SHA-256` or `SCRAM-SHA-512`' }),
  KAFKA_SASL_USERNAME: z.string().optional().meta({ description: 'the user' }),
  KAFKA_SASL_PASSWORD: z.string().optional().meta({ description: 'its password' }),
};

type SecurityValues = z.infer<z.ZodObject<typeof securityVariables>>;

/** Variables that must be set together: all of a group, or none. */
const sets = [
  ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'],
  ['KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
] as const satisfies (keyof SecurityValues)[][];

/** Reports incomplete groups: each missing variable. */
export function checkSets(values: SecurityValues, context: z.RefinementCtx): void {
  for (const set of sets) {
    const given = set.find((name) => values[name] !== undefined);
    if (given === undefined) continue;
    for (const name of set) {
      if (values[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `is required with ${given}` });
    }
  }
  const files = (['KAFKA_SSL_CA', 'KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'] as const).filter((name) => values[name]);
  if (values.KAFKA_SSL === false && files.length > 0)
    context.addIssue({ code: 'custom', path: ['KAFKA_SSL'], message: `must not be false beside ${files[0]}` });
}

/** Undefined = calls between services carry a key instead. */
export const grpcTlsOf = (values: SecurityValues): TlsIdentity | undefined =>
  values.GRPC_TLS_CERT === undefined
    ? undefined
    : { cert: values.GRPC_TLS_CERT, key: values.GRPC_TLS_KEY!, ca: values.GRPC_TLS_CA! };

export function kafkaSecurityOf(values: SecurityValues): KafkaSecurity {
  const { KAFKA_SSL_CA: ca, KAFKA_SSL_CERT: cert, KAFKA_SSL_KEY: key } = values;
  const isTls = values.KAFKA_SSL ?? (ca !== undefined || cert !== undefined);
  return {
    ...(isTls && { tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } }),
    ...(values.KAFKA_SASL_MECHANISM && {
      sasl: {
        mechanism: values.KAFKA_SASL_MECHANISM,
        username: values.KAFKA_SASL_USERNAME!,
        password: values.KAFKA_SASL_PASSWORD!,
      },
    }),
  };
}
