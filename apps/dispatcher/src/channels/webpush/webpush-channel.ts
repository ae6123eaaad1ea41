import type { KeyObject } from 'node:crypto';
import {
  type ChannelPayload,
  connectionResults,
  definitions,
  inLanguage,
  localResults,
  type SendResult,
  type SubscriptionKeys,
  unusableKeys,
  WebPushEncryption,
  type WebPushCredential,
  topicHeader,
  webPushHeaders,
} from '@tidings/channels';
import { columnOf, tokenOf } from '@tidings/delivery';
import type { ConnectionSettings, ProviderConnection } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import { type MessageKey, PayloadWriter } from '@tidings/messaging';
import type { AddressGuard } from '@tidings/runtime';
import { systemTimers } from '../../timers.ts';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Channel, Job, PushListener, Sender } from '../channel-port.ts';
import type { Credentials } from '../credentials/credential-cache.ts';
import { keyOfBatch } from '../message-key.ts';
import { type Prepared, PreparedCredentials } from '../prepared.ts';
import { OriginThrottles } from './origin-throttles.ts';
import { type PushEndpoint, pushEndpointOf } from './push-endpoint.ts';
import { type PushService, PushServices } from './push-services.ts';
import { Vapid } from './vapid.ts';
import { type RouteContext, WebPushExchange } from './webpush-exchange.ts';

export interface WebPushDeps {
  readonly credentials: Credentials;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly connect: (settings: ConnectionSettings) => ProviderConnection;
  readonly addresses: AddressGuard;
  readonly subject?: string | undefined;
  readonly ca?: readonly string[] | undefined;
}

interface Tokens {
  readonly vapid: Vapid;
  readonly throttles: OriginThrottles;
}

type PreparedWebPush = Prepared<WebPushCredential, Tokens>;

const { webpush } = definitions;

const keyFields = ['publicKey', 'authToken'];

export function webPushChannel(deps: WebPushDeps): Channel {
  const { clock, addresses, subject, ca, connect } = deps;
  const services = new PushServices({
    connect: (origin) => connect({ url: origin, tls: ca ? { ca: [...ca] } : {}, lookup: addresses.lookup }),
    timers: systemTimers,
  });
  const credentials = new PreparedCredentials<WebPushCredential, Tokens>({
    channel: 'webpush',
    stored: deps.credentials,
    definition: webpush.credential,
    tokensOf: (credential) => ({
      vapid: new Vapid({ credential, subject, clock }),
      throttles: new OriginThrottles(clock),
    }),
  });
  const writer = new PayloadWriter();
  return {
    async open(job) {
      const prepared = await credentials.of(job.batch.credential);
      return 'category' in prepared ? prepared : new WebPushSender({ ...deps, job, prepared, services, writer });
    },
    ttlSeconds: (batch, language) => webpush.ttlSecondsOf(inLanguage(batch, language)),
    renew: (reference) => credentials.renew(reference),
    applications: () => credentials.applications(),
    throttledServices: () =>
      credentials
        .usable()
        .flatMap(({ fingerprint, settings: { reference }, tokens: { throttles } }) =>
          throttles.throttled().map((throttle) => ({ credential: fingerprint, reference, ...throttle })),
        ),
    liftServices: (credential) =>
      credentials
        .usable()
        .filter(({ fingerprint, tokens }) => fingerprint === credential && tokens.throttles.lift())
        .map(({ settings }) => settings.reference),
    forget: (application) => credentials.forget(application),
    close: () => services.close(),
  };
}

interface WebPushSenderDeps extends Pick<WebPushDeps, 'reportKey' | 'clock' | 'addresses'> {
  readonly job: Job;
  readonly prepared: PreparedWebPush;
  readonly services: PushServices;
  readonly writer: PayloadWriter;
}

interface Route extends RouteContext {
  headers: (readonly string[] | undefined)[];
  authorization: string;
}

interface Target {
  readonly endpoint: PushEndpoint;
  readonly route: Route;
}

/** A device without a usable endpoint fails alone. */
const noRoute = {};

class WebPushSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: WebPushSenderDeps;
  readonly #key: MessageKey;
  readonly #encryption = new WebPushEncryption();
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #routes = new Map<string, Route>();
  readonly #targets: (Target | null | undefined)[] = [];
  readonly #shared: (readonly string[] | undefined)[] = [];
  readonly #keyColumns: readonly number[];

  constructor(deps: WebPushSenderDeps) {
    this.#deps = deps;
    const { job, prepared, reportKey } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#key = keyOfBatch(reportKey, job.batch);
    const columns = keyFields.map((field) => job.columns.columnNames.indexOf(field));
    this.#keyColumns = columns.includes(-1) ? [] : columns;
  }

  async prepare(): Promise<undefined> {
    return undefined;
  }

  routeOf(device: number): object {
    return this.#targetOf(device)?.route ?? noRoute;
  }

  failure(device?: number): SendResult {
    const target = device === undefined ? undefined : this.#targetOf(device);
    return target ? target.route.service.failure() : localResults.unreachable;
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const target = this.#targetOf(device);
    if (!target) return unusableKeys;
    const { route, endpoint } = target;
    const { service, origin, throttles } = route;
    const keys = this.#keysOf(device);
    if (!keys) return unusableKeys;
    if (!this.#allows(origin)) return connectionResults.private_address;
    if (throttles.until(origin) > 0 || throttles.isProbing(origin)) return 'busy';
    if (!service.ready()) return service.isForbidden() ? connectionResults.private_address : 'busy';
    const body = this.#bodyFor(device, keys);
    if (!Buffer.isBuffer(body)) return body;
    const request = { path: endpoint.path, shared: this.#headersOf(route, device), own: [] };
    const exchange = new WebPushExchange(tag, deadline, listener, route);
    if (!service.connection!.request(request, body, exchange)) return 'busy';
    service.inFlight++;
    throttles.written(origin);
    return 'written';
  }

  whenReady(run: () => void, device: number): void {
    const route = this.#targetOf(device)?.route;
    if (!route) queueMicrotask(run);
    else if (route.throttles.isProbing(route.origin)) route.throttles.whenProbed(route.origin, run);
    else route.service.whenReady(run);
  }

  downUntil(device: number): number {
    const route = this.#targetOf(device)?.route;
    return !route || route.throttles.isProbing(route.origin) ? 0 : route.service.downUntil();
  }

  throttledUntil(device: number): number {
    const route = this.#targetOf(device)?.route;
    return route ? route.throttles.until(route.origin) : 0;
  }

  /** A new token would say the same: refusals of the key are final (R-P3). */
  async refresh(): Promise<void> {
    return undefined;
  }

  /** Literal addresses are not looked up when connecting. */
  #allows(origin: string): boolean {
    const host = URL.parse(origin)?.hostname ?? '';
    return this.#deps.addresses.allowsHost(host);
  }

  #targetOf(device: number): Target | undefined {
    const cached = this.#targets[device];
    if (cached !== undefined) return cached ?? undefined;
    const endpoint = pushEndpointOf(tokenOf(this.#deps.job.columns, device));
    const target = endpoint ? { endpoint, route: this.#routeTo(endpoint.origin) } : null;
    this.#targets[device] = target;
    return target ?? undefined;
  }

  #routeTo(origin: string): Route {
    const cached = this.#routes.get(origin);
    if (cached) return cached;
    const { services, job, prepared, clock } = this.#deps;
    const service: PushService = services.of(job.lane, origin, prepared.settings.reference);
    const { throttles } = prepared.tokens;
    const route = { origin, service, throttles, clock, headers: [], authorization: '' };
    this.#routes.set(origin, route);
    return route;
  }

  #bodyFor(device: number, keys: SubscriptionKeys): Buffer | SendResult {
    const { job, writer } = this.#deps;
    const { columns } = job;
    const { payload, limit } = this.#payloadFor(columns.languages[device]!);
    const plaintext = writer.write(payload, columns, device, limit);
    if (!webpush.fits(plaintext, limit)) return localResults.payloadTooLarge;
    return this.#encryption.encrypt(plaintext, keys) ?? unusableKeys;
  }

  #keysOf(device: number): SubscriptionKeys | undefined {
    const { columns } = this.#deps.job;
    const [publicKey = '', authSecret = ''] = this.#keyColumns.map((column) => columnOf(columns, device, column));
    if (publicKey === '' || authSecret === '') return undefined;
    return { publicKey: Buffer.from(publicKey, 'base64'), authSecret: Buffer.from(authSecret, 'base64') };
  }

  #payloadFor(language: number): ChannelPayload {
    const { batch } = this.#deps.job;
    return (this.#payloads[language] ??= webpush.compile(batch, batch.languageNames[language] ?? '', this.#key));
  }

  #headersOf(route: Route, device: number): readonly string[] {
    const authorization = this.#deps.prepared.tokens.vapid.authorizationFor(route.origin);
    if (authorization !== route.authorization) {
      route.authorization = authorization;
      route.headers = [];
    }
    const language = this.#deps.job.columns.languages[device]!;
    return (route.headers[language] ??= [
      ...['authorization', authorization, ...this.#sharedIn(language)],
      ...topicHeader(this.#deps.job.batch, route.origin),
    ]);
  }

  #sharedIn(language: number): readonly string[] {
    const { batch } = this.#deps.job;
    return (this.#shared[language] ??= [
      ...['content-encoding', 'aes128gcm', 'content-type', 'application/octet-stream'],
      ...webPushHeaders(inLanguage(batch, batch.languageNames[language] ?? '')),
    ]);
  }
}
