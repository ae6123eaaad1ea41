import { isIPv6 } from 'node:net';
import { type Channel, Fault, type Quotas } from '@tidings/kernel';
import type { z } from 'zod';
import { checkSets, grpcTlsOf, type KafkaSecurity, kafkaSecurityOf, type TlsIdentity } from './connection-security.ts';
import { environment, type samplers } from './environment.ts';
import { type OutboundProxy, proxyOf } from './outbound-proxy.ts';
import { type ProviderAddresses, providersOf } from './provider-addresses.ts';
import { withSecretFiles } from './secret-files.ts';
import type { ServiceName } from './services.ts';

export interface Configuration {
  readonly host: string;
  readonly port: number;
  readonly grpcPort: number;
  readonly eventsPort: number;
  readonly healthPort?: number | undefined;
  /** Absent = `http://HOST:PORT`. */
  readonly publicUrl?: string | undefined;
  readonly mongoUrl?: string | undefined;
  readonly officialMongod: boolean;
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
  /** Absent = embedded, or the program of one service. */
  readonly services?: readonly ServiceName[] | undefined;
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
export const nonEmpty = (env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])));

export const linesOf = ({ issues }: z.ZodError): string =>
  issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n');

/** @throws Fault `argument` with one line per invalid variable; values are never included */
export function readEnv(env: NodeJS.ProcessEnv = process.env): Configuration {
  const variables = nonEmpty(withSecretFiles(env), Object.keys(environment.shape));
  const checked = environment.superRefine(checkSets).superRefine(checkMasterKeys).superRefine(checkIncomingMail);
  const { success, data, error } = checked.safeParse(variables);
  if (!success) throw Fault.argument(linesOf(error));
  return {
    host: data.HOST,
    port: data.PORT,
    grpcPort: data.GRPC_PORT,
    eventsPort: data.EVENTS_PORT,
    healthPort: data.HEALTH_PORT,
    publicUrl: data.PUBLIC_URL,
    mongoUrl: data.MONGO_URL,
    officialMongod: data.TIDINGS_MONGOD === 'official',
    kafkaBrokers: data.KAFKA_BROKERS,
    kafkaNamespace: data.KAFKA_NAMESPACE,
    kafkaReplicationFactor: data.KAFKA_REPLICATION_FACTOR,
    kafkaSecurity: kafkaSecurityOf(data),
    grpcTls: grpcTlsOf(data),
    dataFolder: data.TIDINGS_DATA,
    adminToken: data.TIDINGS_ADMIN_TOKEN,
    masterKey: data.TIDINGS_MASTER_KEY,
    previousMasterKey: data.TIDINGS_MASTER_KEY_PREVIOUS,
    services: data.TIDINGS_SERVICES,
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

/** For processes of this machine: all addresses include the loopback address. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return isIPv6(host) ? `[${host}]` : host;
}

export const publicUrlOf = ({ publicUrl, host, port }: Pick<Configuration, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
