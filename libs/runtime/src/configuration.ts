import { isIPv6 } from 'node:net';
import { type Channel, Fault, type Quotas } from '@tidings/kernel';
import type { z } from 'zod';
import { checkSets, grpcTlsOf, type KafkaSecurity, kafkaSecurityOf, type TlsIdentity } from './connection-security.ts';
import { environment, type samplers } from './environment.ts';
import { type OutboundProxy, proxyOf } from './outbound-proxy.ts';
import { type ProviderAddresses, providersOf } from './provider-addresses.ts';
import { withSecretFiles } from './secret-files.ts';

/** All settings of the environment, checked and typed; docs/configuration.md lists their names. */
export interface Configuration {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Port of gRPC in a service's own process; 0 = any free port. */
  readonly grpcPort: number;
  /** Port of event streams for subscribers that dial in; 0 = any free port. */
  readonly eventsPort: number;
  /** Absent = health is served on the HTTP port. */
  readonly healthPort?: number | undefined;
  /** Base URL of links, without a trailing slash. Absent = `http://HOST:PORT`. */
  readonly publicUrl?: string | undefined;
  readonly mongoUrl?: string | undefined;
  /** Empty = the embedded log. */
  readonly kafkaBrokers: readonly string[];
  /** Prefix of topic and group names in Kafka. */
  readonly kafkaNamespace: string;
  /** Copies of each record for created topics. Absent = one on each named broker, at most three. */
  readonly kafkaReplicationFactor?: number | undefined;
  readonly kafkaSecurity: KafkaSecurity;
  /** TLS of calls between services. Absent = calls carry a key derived from the master key. */
  readonly grpcTls?: TlsIdentity | undefined;
  /** An absolute path. */
  readonly dataFolder: string;
  readonly adminToken?: string | undefined;
  /** 32 bytes. */
  readonly masterKey?: Uint8Array | undefined;
  /** During a rotation: the other master key that decrypts. 32 bytes. */
  readonly previousMasterKey?: Uint8Array | undefined;
  /** The channels of a dispatcher, each once. */
  readonly channels?: readonly Channel[] | undefined;
  readonly providers: ProviderAddresses;
  /** Contact of the operator for push services of browsers: `mailto:` or `https:`. @default none */
  readonly webPushSubject?: string | undefined;
  /** The domain of return paths: bounce reports and complaints go there. In ASCII and lower case. @default none (R-E19) */
  readonly mailBounceDomain?: string | undefined;
  /** The port on which a gateway takes them; 0 = any free port. Absent = on none. */
  readonly smtpListenPort?: number | undefined;
  /** HTTP/2 client for providers: own frames, or node:http2, which costs several times as much (ADR 10). */
  readonly http2: 'frames' | 'node';
  /** TLS connections to providers and subscribers go through it. Absent = they go directly. */
  readonly proxy?: OutboundProxy | undefined;
  /** PEM text of additional CA certificates. */
  readonly extraCa?: string | undefined;
  /** Private ranges, as CIDR, that callers' addresses may be in. */
  readonly allowPrivate: readonly string[];
  /** Ranges, as CIDR, of the proxies whose `X-Forwarded-For` is believed. Empty = none. */
  readonly trustedProxies: readonly string[];
  /** The file of a geo-IP database, an absolute path. Absent = places are not looked up (R-RES17). */
  readonly geoipDatabase?: string | undefined;
  /** Disposable e-mail domains, in ASCII and lower case (R-E4). */
  readonly disposableDomains: ReadonlySet<string>;
  /** Maximum numbers of resources (R-LM7). */
  readonly quotas: Quotas;
  /** Below this number of free bytes on the volume of MongoDB, writes of callers are refused (R-ER12); 0 = never. */
  readonly minFreeBytes: number;
  /** A clock for tests, which can be advanced; absent = the system's. */
  readonly testClock: { readonly aheadMs: number } | undefined;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** Absent = no traces. */
  readonly tracing?: TracingConfiguration | undefined;
}

/** The sampling of traces, by the standard's names; the exporter reads the endpoint from the same environment. */
export interface TracingConfiguration {
  /** Headers of the exporter's requests, in addition to `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,…`, with percent-encoded values. @default none */
  readonly headers?: string | undefined;
  readonly sampler: (typeof samplers)[number];
  /** From 0 to 1, for ratio-based samplers. */
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

/** Every recipient of an incoming mail is in the domain. */
function checkIncomingMail(values: z.infer<typeof environment>, context: z.RefinementCtx): void {
  if (values.SMTP_LISTEN_PORT === undefined || values.MAIL_BOUNCE_DOMAIN !== undefined) return;
  context.addIssue({ code: 'custom', path: ['MAIL_BOUNCE_DOMAIN'], message: 'is required with SMTP_LISTEN_PORT' });
}

/** An empty variable counts as not set: compose files and charts pass empty ones. */
export const present = (env: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (env[name]?.trim() ? [[name, env[name].trim()]] : [])));

/** One line per variable. */
export const linesOf = ({ issues }: z.ZodError): string =>
  issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n');

/** Reads the configuration, once, at start. @throws Fault `argument` with one line per invalid variable; values are never included */
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

/** The base URL of links: `PUBLIC_URL`, otherwise the address of HTTP. */
export const publicUrlOf = ({ publicUrl, host, port }: Pick<Configuration, 'publicUrl' | 'host' | 'port'>): string =>
  publicUrl ?? `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
