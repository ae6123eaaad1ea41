import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

export interface KafkaSecurity {
  readonly tls?: Partial<TlsIdentity> | undefined;
  readonly sasl?:
    | { readonly mechanism: (typeof saslMechanisms)[number]; readonly username: string; readonly password: string }
    | undefined;
}

export function pemOf(value: string): string {
  return value.startsWith('-----BEGIN ') ? value : readFileSync(value, 'utf8');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

export const certificatesIn = (text: string): X509Certificate[] =>
  [...text.matchAll(CERTIFICATE)].map(([pem]) => new X509Certificate(pem));

/** Errors never include the value: it may be a key. */
const pem = (check: (text: string) => unknown, expected: string) =>
  z.string().transform((value, context) => {
    try {
      const text = pemOf(value);
      check(text);
      return text;
    } catch {
      context.addIssue(`must be a file that can be read, with ${expected} in PEM`);
      return z.NEVER;
    }
  });

export const certificates = pem((text) => new X509Certificate(text), 'a certificate');
const privateKey = pem((text) => createPrivateKey(text), 'a private key without a password');

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

const sets = [
  ['GRPC_TLS_CERT', 'GRPC_TLS_KEY', 'GRPC_TLS_CA'],
  ['KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'],
  ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'],
] as const satisfies (keyof SecurityValues)[][];

export function checkSets(values: SecurityValues, context: z.RefinementCtx): void {
  for (const set of sets) {
    const configured = set.find((name) => values[name] !== undefined);
    if (configured === undefined) continue;
    for (const name of set) {
      if (values[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: `is required with ${configured}` });
    }
  }
  const files = (['KAFKA_SSL_CA', 'KAFKA_SSL_CERT', 'KAFKA_SSL_KEY'] as const).filter((name) => values[name]);
  if (values.KAFKA_SSL === false && files.length > 0)
    context.addIssue({ code: 'custom', path: ['KAFKA_SSL'], message: `must not be false beside ${files[0]}` });
}

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
