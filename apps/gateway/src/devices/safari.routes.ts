import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { type SafariVisitor, visitorIn } from '@tidings/channels';
import { api, REQUEST_MS } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import { apiV2Envelope } from '../envelopes/api-v2.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { checkPlatform } from './check-platform.ts';
import { commandOf, registration } from './command.ts';
import { unlessUnknown } from './unknown-device.ts';
import { refuseTooLarge } from '../http/body.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { withObject } from '../http/parameters.ts';
import type { PendingRequest } from '../limits/pending-requests.ts';
import type { Route } from '../http/route.ts';

type Segments = Readonly<Record<string, string>>;

/** Safari sends the few members that a page names, or a few lines of its log. */
const BODY_BYTES = 64 * 1024;
const LOG_LINES = 10;
const LOG_LINE_LENGTH = 300;

const NO_TOKEN = 'The token is not one of a push package';

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
      verb,
      path: `/safari/{application}/v2${path}`,
      envelope: apiV2Envelope,
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
      bytes.length === 0 ? {} : withObject(bytes, async (body) => body),
    );
  }

  /** A package for the device that the page names as `hwid`, else the one of all visitors. Only the former is made anew. */
  async #package({ code }: ApplicationView, { websitePushId = '' }: Segments, request: Received): Promise<Reply> {
    const { hwid } = await this.#bodyOf(request);
    const visitor = { hwid: hwid === undefined || hwid === null ? undefined : hwidOf(code, hwid) };
    const { platforms, publicUrl, websiteLimits } = this.#context;
    if (visitor.hwid !== undefined) websiteLimits.take(code, this.#context.clients.of(request.message));
    const asked = { application: code, websitePushId, hwid: visitor.hwid ?? '', publicUrl };
    const { archive } = await platforms.getPushPackage(asked);
    if (archive.length === 0) throw Fault.notFound('Not Found');
    return { status: 200, body: '', file: { type: 'application/zip', bytes: archive } };
  }

  /** Registers the device of the visitor, unless its hwid is that of another platform. A page without one registers it itself. */
  async #register(application: ApplicationView, { deviceToken }: Segments, request: Received): Promise<Reply> {
    const { hwid, isSigned } = this.#visitorOf(request, application);
    if (hwid === undefined) return DONE;
    if (!isSigned) throw Fault.unauthorized(NO_TOKEN);
    const call = callOf(application, request, this.#context);
    const given = { application: application.code, hwid, device_type: Platform.Safari, push_token: deviceToken };
    const input = api.registerDevice.parse(given);
    checkPlatform(input.device, this.#context, call);
    const command = registration(this.#context, call, { ...input.device, onlyPlatform: true });
    // A refusal would tell strangers which hwids exist.
    await unlessUnknown(this.#context.deviceCommands.submit(call.pending, commandOf(call, input, command)));
    return DONE;
  }

  /** Unregisters the device with the push token of a visitor who takes the permission back; no page is notified of that. */
  async #unregister(application: ApplicationView, { deviceToken = '' }: Segments, request: Received): Promise<Reply> {
    const visitor = this.#visitorOf(request, application);
    const call = callOf(application, request, this.#context);
    for (const hwid of await this.#holders(application, deviceToken)) {
      if (visitor.hwid !== undefined && visitor.hwid !== hwid) continue;
      const addressee = { application: application.code, hwid };
      const command = commandOf(call, addressee, { $case: 'unregister', value: { platform: Platform.Safari } });
      await unlessUnknown(this.#context.deviceCommands.submit(call.pending, command));
    }
    return DONE;
  }

  /** @throws Fault `throttled`; `unauthorized` without the token of a push package */
  #visitorOf({ message }: Received, { code }: ApplicationView): SafariVisitor {
    const { websiteLimits, clients, visitorKey } = this.#context;
    websiteLimits.take(code, clients.of(message));
    const visitor = visitorIn(visitorKey(), message.headers.authorization, code);
    if (!visitor) throw Fault.unauthorized(NO_TOKEN);
    return visitor;
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
  account: application.account,
  application,
  credentials: undefined,
  idempotencyKey: '',
  pending: request.pending,
  address: clients.of(request.message),
});

/** A hwid that registerDevice accepts. @throws Fault like it */
const hwidOf = (application: string, hwid: unknown): string =>
  api.registerDevice.parse({ application, hwid, device_type: Platform.Safari }).hwid;
