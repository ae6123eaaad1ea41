import { resolve } from 'node:path';
import { type Channel, channels, withoutTrailingSlashes } from '@tidings/kernel';
import { z } from 'zod';
import { isRange } from './address-ranges.ts';
import { certificates, securityVariables } from './connection-security.ts';
import { domainName, domainsFile } from './domains.ts';
import { proxyVariables } from './outbound-proxy.ts';
import { providerVariables, web } from './provider-addresses.ts';
import { quotas } from './quota-settings.ts';
import { secretVariables } from './secret-files.ts';
import { type ServiceName, services } from './services.ts';

export const samplers = [
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
/** One line for the variable, whichever name is wrong. */
const channelList = list
  .refine(
    (names) => names.length > 0 && names.every((name) => (channels as readonly string[]).includes(name)),
    `must be one of ${channels.join(', ')}, or several with commas`,
  )
  .refine((names) => new Set(names).size === names.length, 'must name each channel once')
  .transform((names) => names as readonly Channel[]);

const serviceNames = Object.keys(services) as ServiceName[];

const serviceList = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .refine((names) => names.every((name) => (serviceNames as readonly string[]).includes(name)), {
    error: `must be of ${serviceNames.join(', ')}, with commas`,
    abort: true,
  })
  .refine((names) => new Set(names).size === names.length, 'must name each service once')
  .transform((names) => names as readonly ServiceName[]);

const serverVariables = {
  HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'must be a host name or an IP address')
    .default('127.0.0.1')
    .meta({ description: 'address of HTTP; also of health and metrics, unless `HEALTH_PORT` is set' }),
  PORT: port.default(8080).meta({ description: 'port of HTTP; 0 = a free one' }),
  HEALTH_PORT: port.optional().meta({
    unset: '`PORT` embedded and in the gateway, else `8080`',
    description: 'port of `/livez`, `/readyz`, `/startupz` and `/metrics`; 0 = a free one',
  }),
  EVENTS_PORT: port.default(8081).meta({
    description:
      'gRPC, without TLS, for subscribers of events that [dial in](behaviour/events.md#r-ev7); 0 = a free one; for the webhooks process',
  }),
  PUBLIC_URL: web.transform(withoutTrailingSlashes).optional().meta({
    unset: '`http://HOST:PORT`, with a warning in the distributed mode',
    description:
      'base URL of short links, links in e-mails, export links, Safari push packages, `/docs` and `/openapi.json`; for scheduler, gateway and the dispatcher of `email`',
  }),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info')
    .meta({ description: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`' }),
};

const storeVariables = {
  TIDINGS_DATA: z
    .string()
    .default('.tidings')
    .transform((folder) => resolve(folder))
    .meta({ description: 'data folder of the embedded mode' }),
  MONGO_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/[^/]+/, 'must be an address that begins with mongodb:// or mongodb+srv://')
    .optional()
    .meta({
      unset: 'embedded, a server is started on the data folder',
      description:
        'an initiated MongoDB replica set, 4.0 or newer; a standalone server is refused; the path, if any, is the prefix of database names (`tidings`)',
    }),
  TIDINGS_MONGOD: z.enum(['official'], 'must be official, or unset').optional().meta({
    unset: 'a `mongod` on the `PATH`, 7.0 or newer, else the packaged one, else an official build',
    description:
      '`official` = new data of the embedded mode are opened by an official build, which is [downloaded](operations/moving.md#another-mongodb); `npm start -- --mongod=official` sets it',
  }),
  TIDINGS_ADMIN_TOKEN: z
    .string()
    // Long enough to resist guessing.
    .regex(
      /^[\x21-\x7e]{24,}$/,
      'must have at least 24 characters, printable ASCII without spaces: openssl rand -hex 24',
    )
    .optional()
    .meta({
      unset: 'embedded, generated at the first start and printed once',
      description: 'administrator token, 24 characters or more',
    }),
  TIDINGS_MASTER_KEY: masterKey.optional().meta({
    unset: 'embedded, generated at the first start, in the data folder',
    description:
      '32 bytes in base64; encrypts credentials and the lookup keys of personal data, signs export links; the same in all processes, except during a rotation; data written with another key is refused',
  }),
  TIDINGS_MASTER_KEY_PREVIOUS: masterKey.optional().meta({
    description:
      'in a [rotation](operations/credentials.md#the-master-key): the other master key that decrypts stored data',
  }),
};

const channelVariables = {
  ...providerVariables,
  MAIL_BOUNCE_DOMAIN: domainName.optional().meta({
    unset: "bounces go to the sender's address, and do not count",
    description:
      'domain of [return paths](operations/email.md), one for each mail, to which bounce reports and complaints come; for the gateway and the dispatcher of e-mail',
  }),
  SMTP_LISTEN_PORT: port
    .optional()
    .meta({ unset: 'none', description: 'port on which the gateway takes mail for that domain' }),
  TIDINGS_DISPOSABLE_DOMAINS: domainsFile.meta({
    unset: 'the list of the package `disposable-email-domains-js`',
    description:
      'file of domains whose e-mail addresses are refused, subdomains included: one a line, `#` begins a comment; for the gateway',
  }),
  WEB_PUSH_SUBJECT: z
    .string()
    .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, 'must be a mailto: or https: address')
    .optional()
    .meta({
      description: "your contact for push services of browsers, `mailto:…` or `https://…`; Apple's requires one",
    }),
  TIDINGS_HTTP2: z.enum(['frames', 'node'], 'must be frames or node').default('frames').meta({
    description:
      "HTTP/2 client of dispatchers: `frames`, Tidings' own, or `node`, which is `node:http2` and uses several times the CPU ([ADR 10](adr/0010-http2-frames.md))",
  }),
};

const networkVariables = {
  TRUSTED_PROXIES: ranges.meta({
    unset: 'headers are not believed',
    description:
      'ranges of the proxies before the gateway, such as `10.0.0.0/8`, whose `X-Forwarded-For` names the [client](operations/network.md#proxies-before-the-gateway)',
  }),
  ...proxyVariables,
  TIDINGS_EXTRA_CA: certificates.optional().meta({ description: 'PEM file of additional CA certificates' }),
  TIDINGS_ALLOW_PRIVATE: ranges.meta({
    description:
      'private ranges, such as `127.0.0.0/8`, that token addresses of service accounts, endpoints of subscriptions and of web push, channel URIs of Windows, SMSCs of applications and `sms_http_url` may be in',
  }),
  GEOIP_DATABASE: z
    .string()
    .transform((file) => resolve(file))
    .optional()
    .meta({
      description:
        'file of a geo-IP database (`.mmdb`), which gives [Country and City](operations/network.md#places-by-address) to registrations that name none; for the gateway',
    }),
};

const limitVariables = {
  TIDINGS_QUOTAS: quotas.meta({
    description:
      '[quotas](operations/limits.md#quotas) that differ from the defaults: `presets=500,test_devices=20`; for the registry',
  }),
  TIDINGS_MIN_FREE_MB: z
    .string()
    .regex(/^\d{1,7}$/, 'must be a whole number of megabytes, 0 for none')
    .default('512')
    .transform((megabytes) => Number(megabytes) * 2 ** 20)
    .meta({
      description:
        'free room on the volume of MongoDB below which [writes are refused](operations/full-disk.md); `0`: never; for the gateway',
    }),
  TIDINGS_TEST_CLOCK: z
    .string()
    .regex(/^\d{1,10}$/, 'must be 0, 1, or the seconds that the clock is ahead')
    .default('0')
    .transform((text) => (Number(text) === 0 ? undefined : { aheadMs: text === '1' ? 0 : Number(text) * 1000 }))
    .meta({
      description:
        '`1`: `POST /admin/v1/clock` advances the time (tests only); a larger number: so many seconds ahead from the start',
    }),
};

const processVariables = {
  TIDINGS_SERVICES: serviceList.optional().meta({
    unset: 'the embedded mode',
    description: `services that \`apps/platform/dist/main.js\` runs in [one process](operations/installing.md#several-services-in-one-process) of the distributed mode: ${serviceNames.map((name) => `\`${name}\``).join(', ')}; several with commas`,
  }),
  TIDINGS_CHANNEL: channelList.optional().meta({
    description: `${channels.map((channel) => `\`${channel}\``).join(', ')}; several with commas share a process`,
  }),
  GRPC_PORT: port.default(9090).meta({ description: 'gRPC between services; 0 = a free one' }),
  KAFKA_BROKERS: list
    .refine((brokers) => brokers.every((broker) => /^[\w.:[\]-]+:\d+$/.test(broker)), 'must be host:port,host:port,…')
    .default([])
    .meta({ description: '`host:port,host:port,…`' }),
  KAFKA_NAMESPACE: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'must be letters, digits, dots, dashes or underscores, 100 at most')
    .default('')
    .meta({ description: 'prefix of topic and group names, so that systems can share a cluster' }),
  KAFKA_REPLICATION_FACTOR: z
    .string()
    .regex(/^[1-9]$/, 'must be a number from 1 to 9')
    .transform(Number)
    .optional()
    .meta({
      unset: 'one per broker named or running, at most 3',
      description:
        'copies of each record in new topics, for `topics.js`, and for the gateway and webhooks, which create the topics of `kafka://` subscriptions',
    }),
  ...securityVariables,
};

const traceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: web.optional().meta({
    unset: 'no traces',
    description: '`http://collector:4318`; spans go to `/v1/traces` there, by OTLP over HTTP',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: web.optional().meta({ description: 'the complete address, instead' }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional().meta({
    description:
      "headers of requests: `authorization=Bearer%20…`, values percent-encoded, several with commas; beside those of the standard's `OTEL_EXPORTER_OTLP_HEADERS`, which is not in the chart",
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'must be http/protobuf')
    .optional()
    .meta({ unset: '`http/protobuf`', description: 'no other is supported' }),
  OTEL_SDK_DISABLED: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .meta({ description: '`true`: no traces' }),
  OTEL_TRACES_SAMPLER: z
    .enum(samplers, `must be one of ${samplers.join(', ')}`)
    .default('parentbased_always_on')
    .meta({
      description: 'in production use `parentbased_traceidratio`: every traced request and batch costs',
    }),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .default('1')
    .transform(Number)
    .meta({ description: 'the ratio of samplers by ratio, such as `0.01`' }),
};

/** The variables by the headings of docs/configuration.md. */
export const environmentSections = {
  Server: serverVariables,
  'Stores and secrets': storeVariables,
  'Providers and mail': channelVariables,
  Network: networkVariables,
  Limits: limitVariables,
  'Service processes': processVariables,
  Traces: traceVariables,
};

export const environment = z.object({
  ...serverVariables,
  ...storeVariables,
  ...channelVariables,
  ...networkVariables,
  ...limitVariables,
  ...processVariables,
  ...traceVariables,
});

/** Only OpenTelemetry reads them; its standard has more. */
export const openTelemetryVariables = {
  OTEL_EXPORTER_OTLP_CERTIFICATE: {
    unset: 'the CA certificates of Node',
    description: 'PEM file of the CA certificates that its certificate may be of',
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: { unset: '`none`', description: '`gzip`' },
  OTEL_EXPORTER_OTLP_TIMEOUT: { unset: '`10000`', description: 'milliseconds for a request' },
  OTEL_RESOURCE_ATTRIBUTES: { description: '`key=value,…` on every span' },
  OTEL_SERVICE_NAME: {
    unset: '`tidings` embedded, else `tidings-<service>`',
    description: "the service's name; `service.version` is beside it",
  },
};

/** Every variable that is read, those that name files of secrets included. */
export const environmentVariables: readonly string[] = [
  ...Object.keys(environment.shape),
  ...Object.keys(openTelemetryVariables),
  ...secretVariables.map((name) => `${name}_FILE`),
];
