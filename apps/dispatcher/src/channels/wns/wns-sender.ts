import type { KeyObject } from 'node:crypto';
import {
  type ChannelPayload,
  connectionResults,
  definitions,
  foreignChannel,
  localResults,
  type SendResult,
  type WnsCredential,
  wnsHeaders,
} from '@tidings/channels';
import { tokenOf } from '@tidings/delivery';
import type { AnswerHeaders, FailureCause } from '@tidings/http2';
import type { Clock } from '@tidings/kernel';
import type { MessageKey, PayloadWriter } from '@tidings/messaging';
import type { AddressGuard } from '@tidings/runtime';
import type { Throttler } from '../../throttle/throttles.ts';
import type { Job, PushListener, Sender } from '../channel-port.ts';
import { type AccessToken, tokenRefusalOf } from '../credentials/access-token.ts';
import { keyOfBatch } from '../message-key.ts';
import type { Prepared } from '../prepared.ts';
import { type ExchangeContext, PushExchange } from '../push-exchange.ts';
import { type PushEndpoint, pushEndpointOf } from '../webpush/push-endpoint.ts';
import type { PushService, PushServices } from '../webpush/push-services.ts';

export interface WnsSenderDeps {
  readonly job: Job;
  readonly prepared: Prepared<WnsCredential, AccessToken>;
  readonly services: PushServices;
  readonly writer: PayloadWriter;
  readonly reportKey: KeyObject;
  readonly clock: Clock;
  readonly addresses: AddressGuard;
}

interface Route {
  readonly service: PushService;
  exchanges: ExchangeContext | undefined;
}

interface Target {
  readonly path: string;
  readonly route: Route;
}

/** A device without a usable channel URI fails alone. */
const noRoute = {};

const { wns } = definitions;

const OWN_HOST = /^https:\/\/([a-z0-9-]+\.)*notify\.windows\.com(:\d+)?$/;

/** Devices choose the origin, which must not get the access token. */
export const isTrustedOrigin = (origin: string, addresses: AddressGuard): boolean =>
  OWN_HOST.test(origin) || addresses.isOperatorNamed(URL.parse(origin)?.hostname ?? '');

export class WnsSender implements Sender {
  readonly credential: string;
  readonly settings: Throttler;
  readonly #deps: WnsSenderDeps;
  readonly #key: MessageKey;
  readonly #payloads: (ChannelPayload | undefined)[] = [];
  readonly #routes = new Map<string, Route | undefined>();
  readonly #targets: (Target | null | undefined)[] = [];
  #headers: (readonly string[] | undefined)[] = [];
  #accessToken = '';

  constructor(deps: WnsSenderDeps) {
    this.#deps = deps;
    const { job, prepared, reportKey } = deps;
    this.credential = prepared.fingerprint;
    this.settings = prepared.settings;
    this.#key = keyOfBatch(reportKey, job.batch);
  }

  async prepare(): Promise<SendResult | undefined> {
    try {
      this.#use(await this.#deps.prepared.tokens.get());
    } catch (error) {
      const refusal = tokenRefusalOf(error);
      if (refusal) return refusal;
      throw error;
    }
    return undefined;
  }

  routeOf(device: number): object {
    return this.#targetOf(device)?.route ?? noRoute;
  }

  failure(device?: number): SendResult {
    const { lastFailure } = this.#deps.prepared.tokens;
    if (lastFailure !== undefined) return connectionResults[lastFailure];
    const target = device === undefined ? undefined : this.#targetOf(device);
    return target ? target.route.service.failure() : localResults.unreachable;
  }

  push(device: number, tag: number, deadline: number, listener: PushListener): 'written' | 'busy' | SendResult {
    const target = this.#targetOf(device);
    if (!target) return foreignChannel;
    const { route, path } = target;
    const { service } = route;
    if (!service.ready()) return service.isForbidden() ? connectionResults.private_address : 'busy';
    const { columns } = this.#deps.job;
    const language = columns.languages[device]!;
    const { payload, limit } = this.#payloadFor(language);
    const body = this.#deps.writer.write(payload, columns, device, limit);
    if (!wns.fits(body, limit)) return localResults.payloadTooLarge;
    const exchange = new WnsExchange({ tag, deadline, listener, context: this.#exchangesOf(route), service });
    const request = { path, shared: this.#headersIn(language), own: [] };
    if (!service.connection!.request(request, body, exchange)) return 'busy';
    service.inFlight++;
    return 'written';
  }

  whenReady(run: () => void, device: number): void {
    const route = this.#targetOf(device)?.route;
    if (route) route.service.whenReady(run);
    else queueMicrotask(run);
  }

  downUntil(device: number): number {
    return this.#targetOf(device)?.route.service.downUntil() ?? 0;
  }

  async refresh(): Promise<void> {
    const isRefused = [...this.#routes.values()].some((route) => route?.exchanges?.refused === this.#accessToken);
    const { tokens } = this.#deps.prepared;
    this.#use(await tokens.renewed(isRefused ? this.#accessToken : ''));
  }

  #use(accessToken: string): void {
    if (accessToken === this.#accessToken) return;
    this.#accessToken = accessToken;
    this.#headers = [];
    for (const route of this.#routes.values()) if (route?.exchanges) route.exchanges.credential = accessToken;
  }

  #targetOf(device: number): Target | undefined {
    const cached = this.#targets[device];
    if (cached !== undefined) return cached ?? undefined;
    const endpoint = pushEndpointOf(tokenOf(this.#deps.job.columns, device));
    const route = endpoint && this.#routeTo(endpoint);
    const target = route ? { path: endpoint.path, route } : null;
    this.#targets[device] = target;
    return target ?? undefined;
  }

  #routeTo({ origin }: PushEndpoint): Route | undefined {
    if (this.#routes.has(origin)) return this.#routes.get(origin);
    const { services, job, prepared, addresses } = this.#deps;
    const route: Route | undefined = isTrustedOrigin(origin, addresses)
      ? { service: services.of(job.lane, origin, prepared.settings.reference), exchanges: undefined }
      : undefined;
    this.#routes.set(origin, route);
    return route;
  }

  #exchangesOf(route: Route): ExchangeContext {
    const connection = route.service.connection!;
    if (route.exchanges?.connection === connection) return route.exchanges;
    const { clock } = this.#deps;
    return (route.exchanges = {
      credential: this.#accessToken,
      refused: route.exchanges?.refused ?? '',
      connection,
      now: () => clock.now(),
      refusal: (status, body, headers) => wns.refusal(status, body, headers),
      readsSuccess: wns.readsSuccess,
    });
  }

  #payloadFor(language: number): ChannelPayload {
    const { batch } = this.#deps.job;
    return (this.#payloads[language] ??= wns.compile(batch, batch.languageNames[language] ?? '', this.#key));
  }

  #headersIn(language: number): readonly string[] {
    const { batch } = this.#deps.job;
    return (this.#headers[language] ??= [
      ...['authorization', `Bearer ${this.#accessToken}`],
      ...wnsHeaders(batch, batch.languageNames[language] ?? ''),
    ]);
  }
}

interface WnsExchangeOptions {
  readonly tag: number;
  readonly deadline: number;
  readonly listener: PushListener;
  readonly context: ExchangeContext;
  readonly service: PushService;
}

class WnsExchange extends PushExchange {
  readonly #service: PushService;

  constructor({ tag, deadline, listener, context, service }: WnsExchangeOptions) {
    super(tag, deadline, listener, context);
    this.#service = service;
  }

  override answered(status: number, headers: AnswerHeaders, body: string): void {
    this.#service.inFlight--;
    this.#service.isProven = true;
    super.answered(status, headers, body);
  }

  override failed(cause: FailureCause): void {
    this.#service.inFlight--;
    super.failed(cause);
  }
}
