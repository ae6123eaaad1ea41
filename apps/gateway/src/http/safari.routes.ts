import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { visitorIn, type WebsiteVisitor } from '@tidings/channels';
import { api, REQUEST_MS } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { registerDevice } from '../methods/devices/registerDevice.ts';
import { unregisterDevice } from '../methods/devices/unregisterDevice.ts';
import { parseObject, refuseTooLarge } from './body.ts';
import { LargeBodies } from './large-bodies.ts';
import type { PendingRequest } from './pending-requests.ts';
import type { Route } from './route.ts';

type Segments = Readonly<Record<string, string>>;

/** Safari sends the few members that a page names, or a few lines of its log. */
const BODY_BYTES = 64 * 1024;
const LOG_LINES = 10;
const LOG_LINE_LENGTH = 300;

const DONE: Reply = { status: 200, body: '' };

/** The web service of push packages: Safari asks it for a package, and reports the answers of visitors (R-B4). */
@Injectable()
export class SafariRoutes {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  routes(): Route[] {
    const registrations = '/devices/{deviceToken}/registrations/{websitePushId}';
    return [
      this.#route('POST', '/pushPackages/{websitePushId}', (...given) => this.#package(...given)),
      this.#route('POST', registrations, (...given) => this.#register(...given)),
      this.#route('DELETE', registrations, (...given) => this.#unregister(...given)),
      this.#route('POST', '/log', (...given) => this.#log(...given)),
    ];
  }

  #route(
    verb: Route['verb'],
    path: string,
    serve: (application: ApplicationView, segments: Segments, request: Received) => Promise<Reply>,
  ): Route {
    return {
      ...{ verb, path: `/safari/{application}/v2${path}`, envelope: apiV2Envelope },
      serve: async (message, segments, pending) => {
        const application = await this.#application(segments['application'] ?? '');
        return serve(application, segments, { message, pending });
      },
    };
  }

  /** The application with a website that may be sent to. @throws Fault `notFound` */
  async #application(code: string): Promise<ApplicationView> {
    const access = await this.#context.access.accessOfAnyone(code);
    const application = access.kind === 'granted' ? access.application : undefined;
    const website = new Map(application?.platforms.map((view) => [view.platform, view])).get(Platform.Safari);
    const isServed = website?.configured === true && website.enabled;
    if (!application || !isServed) throw Fault.notFound('Not Found');
    return application;
  }

  async #bodyOf({ message, pending }: Received): Promise<Readonly<Record<string, unknown>>> {
    refuseTooLarge(message, BODY_BYTES);
    return this.#bodies.take(message, { limit: BODY_BYTES, deadlineMs: REQUEST_MS, pending }, async (bytes) =>
      bytes.length === 0 ? {} : parseObject(bytes),
    );
  }

  /** A package for the device that the page names as `hwid`, else the one of all visitors. Only the former is made anew. */
  async #package({ code }: ApplicationView, { websitePushId = '' }: Segments, request: Received): Promise<Reply> {
    const { hwid } = await this.#bodyOf(request);
    const visitor = { hwid: hwid === undefined || hwid === null ? undefined : hwidOf(code, hwid) };
    const { accounts, publicUrl, websiteLimits } = this.#context;
    if (visitor.hwid !== undefined) websiteLimits.take(code, this.#context.clients.of(request.message));
    const asked = { application: code, websitePushId, hwid: visitor.hwid ?? '', publicUrl };
    const { archive } = await accounts.getPushPackage(asked);
    if (archive.length === 0) throw Fault.notFound('Not Found');
    return { status: 200, body: '', file: { type: 'application/zip', bytes: archive } };
  }

  /** Registers the device of the visitor. A page without one registers it itself. */
  async #register(application: ApplicationView, { deviceToken }: Segments, request: Received): Promise<Reply> {
    const { hwid } = visitorOf(request, application);
    if (hwid === undefined) return DONE;
    const asked = { application: application.code, hwid, device_type: Platform.Safari, push_token: deviceToken };
    await registerDevice(api.registerDevice.parse(asked), this.#context, callOf(application, request, this.#context));
    return DONE;
  }

  /** Unregisters the device of a visitor who takes the permission back; no page is notified of that. */
  async #unregister(application: ApplicationView, { deviceToken = '' }: Segments, request: Received): Promise<Reply> {
    const visitor = visitorOf(request, application);
    for (const hwid of visitor.hwid === undefined ? await this.#holders(application, deviceToken) : [visitor.hwid]) {
      const asked = api.unregisterDevice.parse({ application: application.code, hwid });
      await unregisterDevice(asked, this.#context, callOf(application, request, this.#context));
    }
    return DONE;
  }

  /** The hwid of the device with this push token, if any. */
  async #holders({ account, code: application }: ApplicationView, pushToken: string): Promise<readonly string[]> {
    const wanted = { account, application, userIds: [], pushTokens: [pushToken], hwids: [] };
    const { byPushToken } = await this.#context.devices.resolve(wanted);
    return byPushToken[0]?.names ?? [];
  }

  /** Writes what Safari complains of into the log: nobody else sees why it refuses a package. */
  async #log({ code: application }: ApplicationView, _segments: Segments, request: Received): Promise<Reply> {
    this.#context.websiteLimits.take(application, this.#context.clients.of(request.message));
    const { logs } = await this.#bodyOf(request);
    const lines = Array.isArray(logs) ? logs.slice(0, LOG_LINES) : [];
    const errors = lines.map((line) => String(line).slice(0, LOG_LINE_LENGTH));
    if (errors.length > 0) this.#context.log.warn({ application, errors }, 'Safari reports errors of a website');
    return DONE;
  }
}

/** A request of Safari. */
interface Received {
  readonly message: IncomingMessage;
  readonly pending: PendingRequest;
}

const callOf = (application: ApplicationView, request: Received, { clients }: Context) => ({
  ...{ account: application.account, application, credentials: undefined, idempotencyKey: '' },
  ...{ pending: request.pending, address: clients.of(request.message) },
});

/** A hwid that registerDevice accepts. @throws Fault like it */
const hwidOf = (application: string, hwid: unknown): string =>
  api.registerDevice.parse({ application, hwid, device_type: Platform.Safari }).hwid;

/** @throws Fault `unauthorized` without the token of a push package */
function visitorOf({ message }: Received, { code }: ApplicationView): WebsiteVisitor {
  const visitor = visitorIn(message.headers.authorization, code);
  if (!visitor) throw Fault.unauthorized('The token is not one of a push package');
  return visitor;
}
