import { isIPv6 } from 'node:net';
import { resolve } from 'node:path';
import { type Channel, channels, Fault, type Quotas, withoutTrailingSlashes } from '@tidings/kernel';
import { z } from 'zod';
import { isRange } from './address-ranges.ts';
import {
  certificates,
  checkSets,
  grpcTlsOf,
  type KafkaSecurity,
  kafkaSecurityOf,
  securityVariables,
  type TlsIdentity,
} from './connection-security.ts';
import { domainName, domainsFile } from './domains.ts';
import { type OutboundProxy, proxyOf, proxyVariables } from './outbound-proxy.ts';
import { type ProviderAddresses, providersOf, providerVariables, web } from './provider-addresses.ts';
import { quotas } from './quota-settings.ts';
import { secretVariables, withSecretFiles } from './secret-files.ts';

export interface Configuration {
  readonly host: string;
  readonly port: number;
  readonly grpcPort: number;
  readonly eventsPort: number;
  readonly healthPort?: number | undefined;
  /** Absent = `http://HOST:PORT`. */
  readonly publicUrl?: string | undefined;
  readonly mongoUrl?: string | undefined;
  readonly kafkaBrokers: readonly string[];
  readonly kafkaNamespace: string;
  /** Absent = one per named broker, at most three. */
  readonly kafkaReplicationFactor?: number | undefined;
  readonly kafkaSecurity: KafkaSecurity;
  /** Absent = calls carry a key derived from the master key. */
  readonly grpcTls?: TlsIdentity | undefined;
  readonly dataFolder: string;
  readonly adminToken?: string | undefined;
  /** 32 bytes. */
  readonly masterKey?: Uint8Array | undefined;
  /** During a rotation: the other master key that decrypts. 32 bytes. */
  readonly previousMasterKey?: Uint8Array | undefined;
  readonly channels?: readonly Channel[] | undefined;
  readonly providers: ProviderAddresses;
  readonly webPushSubject?: string | undefined;
  /** In ASCII and lower case. @default none (R-E19) */
  readonly mailBounceDomain?: string | undefined;
  /** Absent = no incoming mail. */
  readonly smtpListenPort?: number | undefined;
  readonly http2: 'frames' | 'node';
  readonly proxy?: OutboundProxy | undefined;
  readonly extraCa?: string | undefined;
  readonly allowPrivate: readonly string[];
  readonly trustedProxies: readonly string[];
  /** Absent = places are not looked up. */
  readonly geoipDatabase?: string | undefined;
  readonly disposableDomains: ReadonlySet<string>;
  readonly quotas: Quotas;
  /** On MongoDB's volume; 0 = never refuse. */
  readonly minFreeBytes: number;
  readonly testClock: { readonly aheadMs: number } | undefined;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly tracing?: TracingConfiguration | undefined;
}

export interface TracingConfiguration {
  readonly headers?: string | undefined;
  readonly sampler: (typeof samplers)[number];
  readonly ratio: number;
}

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port from 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port from 0 to 65535');

const masterKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64: openssl rand -base64 32');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

const ranges = list.refine((each) => each.every(isRange), 'must be ranges such as 127.0.0.0/8,10.0.0.0/8').default([]);
const channelList = list
  .refine(
    (names) => names.length > 0 && names.every((name) => (channels as readonly string[]).includes(name)),
    `must be one of ${channels.join(', ')}, or several with commas`,
  )
  .refine((names) => new Set(names).size === names.length, 'must name each channel once')
  .transform((names) => names as readonly Channel[]);

const environment = z.object({
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be a host name or an IP address')
    .default('127.0.0.1'),
  PORT: port.default(8080),
  HEALTH_PORT: port.optional(),
  GRPC_PORT: port.default(9090),
  EVENTS_PORT: port.default(8081),
  PUBLIC_URL: web.transform(withoutTrailingSlashes).optional(),
  MONGO_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/]+/, 'must be an address that begins with mongodb:// or mongodb+srv://')
    .optional(),
  KAFKA_BROKERS: list
    .refine((brokers) => brokers.every((broker) => /^[\w.:[\]-]+:\d+$/.test(broker)), 'must be host:port,host:port,…')
    .default([]),
  KAFKA_NAMESPACE: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, dots, dashes or underscores, 100 at most')
    .default(''),
  KAFKA_REPLICATION_FACTOR: z
    .string()
    .regex(/^[1-9]$/, 'must be a number from 1 to 9')
    .transform(Number)
    .optional(),
  TIDINGS_DATA: z
    .string()
    .default('.tidings')
    .transform((folder) => resolve(folder)),
  TIDINGS_ADMIN_TOKEN: z
    .string()
    // Long enough to resist guessing.
    .regex(
      /^[\x21-\x7e]{24,}$/,
      'must have at least 24 characters, printable ASCII without spaces: openssl rand -hex 24',
    )
    .optional(),
  TIDINGS_MASTER_KEY: masterKey.optional(),
  TIDINGS_MASTER_KEY_PREVIOUS: masterKey.optional(),
  TIDINGS_CHANNEL: channelList.optional(),
  ...providerVariables,
  WEB_PUSH_SUBJECT: z
    .string()
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: address')
    .optional(),
  MAIL_BOUNCE_DOMAIN: domainName.optional(),
  SMTP_LISTEN_PORT: port.optional(),
  TIDINGS_HTTP2: z.enum(['frames', 'node'], 'must be frames or node').default('frames'),
  ...proxyVariables,
  TIDINGS_EXTRA_CA: certificates.optional(),
  TIDINGS_ALLOW_PRIVATE: ranges,
  TRUSTED_PROXIES: ranges,
  GEOIP_DATABASE: z
    .string()
    .transform((file) => resolve(file))
    .optional(),
  TIDINGS_DISPOSABLE_DOMAINS: domainsFile,
  TIDINGS_QUOTAS: quotas,
  TIDINGS_MIN_FREE_MB: z
    .string()
    .regex(/^\d{1,7}$/, 'must be a whole number of megabytes, 0 for none')
    .default('512')
    .transform((megabytes) => Number(megabytes) * 2 ** 20),
  TIDINGS_TEST_CLOCK: z
    .string()
    .regex(/^\d{1,10}$/, 'must be 0, 1, or the seconds that the clock is ahead')
    .default('0')
    .transform((text) => (Number(text) === 0 ? undefined : { aheadMs: text === '1' ? 0 : Number(text) * 1000 })),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  OTEL_EXPORTER_OTLP_ENDPOINT: web.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: web.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf', 'must be http/protobuf').optional(),
  OTEL_SDK_DISABLED: z.enum(['true', 'false'], 'must be true or false').default('false'),
  OTEL_TRACES_SAMPLER: z.enum(samplers, `must be one of ${samplers.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number),
  ...securityVariables,
});

const openTelemetryVariables = [
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
] as const;

export const environmentVariables: readonly string[] = [
  ...Object.keys(environment.shape),
  ...openTelemetryVariables,
  ...secretVariables.map((name) => `${name}_FILE`),
];

/** A rotation between equal keys would appear complete without effect. */
function checkMasterKeys(values: z.infer<typeof environment>, context: z.RefinementCtx): void {
  const { TIDINGS_MASTER_KEY: current, TIDINGS_MASTER_KEY_PREVIOUS: previous } = values;
  if (current && previous?.equals(current)) {
    const message = 'must be another key than TIDINGS_MASTER_KEY';
    context.addIssue({ code: 'custom', path: ['TIDINGS_MASTER_KEY_PREVIOUS'], message });
  }
}

function checkIncomingMail(values: z.infer<typeof environment>, context: z.RefinementCtx): void {
  if (values.SMTP_LISTEN_PORT === undefined || values.MAIL_BOUNCE_DOMAIN !== undefined) return;
  context.addIssue({ code: 'custom', path: ['MAIL_BOUNCE_DOMAIN'], message: 'is required with SMTP_LISTEN_PORT' });
}

/** Compose files and charts pass empty variables. */
export const present = (env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])));

export const linesOf = ({ issues }: z.ZodError): string =>
  issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n');

/** @throws Fault `argument` with one line per invalid variable; values are never included */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Configuration {
  const given = present(withSecretFiles(env), Object.keys(environment.shape));
  const checked = environment.superRefine(checkSets).superRefine(checkMasterKeys).superRefine(checkIncomingMail);
  const { success, data, error } = checked.safeParse(given);
  if (!success) throw Fault.argument(linesOf(error));
  return {
    host: data.HOST,
    port: data.PORT,
    grpcPort: data.GRPC_PORT,
    eventsPort: data.EVENTS_PORT,
    healthPort: data.HEALTH_PORT,
    publicUrl: data.PUBLIC_URL,
    mongoUrl: data.MONGO_URL,
    kafkaBrokers: data.KAFKA_BROKERS,
    kafkaNamespace: data.KAFKA_NAMESPACE,
    kafkaReplicationFactor: data.KAFKA_REPLICATION_FACTOR,
    kafkaSecurity: kafkaSecurityOf(data),
    grpcTls: grpcTlsOf(data),
    dataFolder: data.TIDINGS_DATA,
    adminToken: data.TIDINGS_ADMIN_TOKEN,
    masterKey: data.TIDINGS_MASTER_KEY,
    previousMasterKey: data.TIDINGS_MASTER_KEY_PREVIOUS,
    channels: data.TIDINGS_CHANNEL,
    providers: providersOf(data),
    webPushSubject: data.WEB_PUSH_SUBJECT,
    mailBounceDomain: data.MAIL_BOUNCE_DOMAIN,
    smtpListenPort: data.SMTP_LISTEN_PORT,
    http2: data.TIDINGS_HTTP2,
    proxy: proxyOf(data),
    extraCa: data.TIDINGS_EXTRA_CA,
    allowPrivate: data.TIDINGS_ALLOW_PRIVATE,
    trustedProxies: data.TRUSTED_PROXIES,
    geoipDatabase: data.GEOIP_DATABASE,
    disposableDomains: data.TIDINGS_DISPOSABLE_DOMAINS,
    quotas: data.TIDINGS_QUOTAS,
    minFreeBytes: data.TIDINGS_MIN_FREE_MB,
    testClock: data.TIDINGS_TEST_CLOCK,
    logLevel: data.LOG_LEVEL,
    tracing: tracingOf(data),
  };
}

const tracingOf = (data: z.infer<typeof environment>): TracingConfiguration | undefined =>
  (data.OTEL_EXPORTER_OTLP_ENDPOINT ?? data.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) === undefined ||
  data.OTEL_SDK_DISABLED === 'true'
    ? undefined
    : {
        headers: data.OTEL_EXPORTER_OTLP_TRACES_HEADERS,
        sampler: data.OTEL_TRACES_SAMPLER,
        ratio: data.OTEL_TRACES_SAMPLER_ARG,
      };

export const publicUrlOf = ({ publicUrl, host, port }: Pick<Configuration, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
