import { Delete, Inject, Param, Post } from '@nestjs/common';
import { ApiController } from '../http/api-controller.ts';
import { type SafariVisitor, visitorIn } from '@tidings/channels';
import { api, REQUEST_MS } from '@tidings/contract';
import { Fault, Platform } from '@tidings/kernel';
import type { ApplicationView } from '@tidings/rpc';
import type { Context } from '../context.ts';
import type { Reply } from '../envelopes/reply.ts';
import { CONTEXT } from '../injection-tokens.ts';
import { checkPlatform } from './check-platform.ts';
import { commandOf, registration } from './command.ts';
import { unlessUnknown } from './unknown-device.ts';
import { refuseTooLarge } from '../http/body.ts';
import { LargeBodies } from '../http/large-bodies.ts';
import { objectIn } from '../http/parameters.ts';
import { Served, type ServedRequest } from '../http/served-request.ts';

const BODY_BYTES = 64 * 1024;
const LOG_LINES = 10;
const LOG_LINE_LENGTH = 300;

const NO_TOKEN = 'The token is not one of a push package';

const DONE: Reply = { status: 200, body: '' };

@ApiController('safari/:application/v2')
export class SafariController {
  readonly #context: Context;
  readonly #bodies: LargeBodies;

  constructor(@Inject(CONTEXT) context: Context, @Inject(LargeBodies) bodies: LargeBodies) {
    this.#context = context;
    this.#bodies = bodies;
  }

  async #application(code: string): Promise<ApplicationView> {
    const access = await this.#context.access.anonymousAccess(code);
    const application = access.kind === 'granted' ? access.application : undefined;
    const website = new Map(application?.platforms.map((view) => [view.platform, view])).get(Platform.Safari);
    const isServed = website?.configured === true && website.enabled;
    if (!application || !isServed) throw Fault.notFound('Not Found');
    return application;
  }

  async #bodyOf({ raw, pending }: ServedRequest): Promise<Readonly<Record<string, unknown>>> {
    refuseTooLarge(raw, BODY_BYTES);
    const bytes = await this.#bodies.read(raw, { limit: BODY_BYTES, deadlineMs: REQUEST_MS, pending });
    return bytes.length === 0 ? {} : objectIn(bytes);
  }

  @Post('pushPackages/:websitePushId')
  async package(
    @Param('application') application: string,
    @Param('websitePushId') websitePushId: string,
    @Served() request: ServedRequest,
  ): Promise<Reply> {
    const { code } = await this.#application(application);
    const { hwid } = await this.#bodyOf(request);
    const visitor = { hwid: hwid === undefined || hwid === null ? undefined : hwidOf(code, hwid) };
    const { platforms, publicUrl, websiteLimits } = this.#context;
    if (visitor.hwid !== undefined) websiteLimits.take(code, this.#context.clients.of(request.raw));
    const packageRequest = { application: code, websitePushId, hwid: visitor.hwid ?? '', publicUrl };
    const { archive } = await platforms.getPushPackage(packageRequest);
    if (archive.length === 0) throw Fault.notFound('Not Found');
    return { status: 200, body: '', file: { type: 'application/zip', bytes: archive } };
  }

  @Post('devices/:deviceToken/registrations/:websitePushId')
  async register(
    @Param('application') code: string,
    @Param('deviceToken') deviceToken: string,
    @Served() request: ServedRequest,
  ): Promise<Reply> {
    const application = await this.#application(code);
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

  @Delete('devices/:deviceToken/registrations/:websitePushId')
  async unregister(
    @Param('application') code: string,
    @Param('deviceToken') deviceToken: string,
    @Served() request: ServedRequest,
  ): Promise<Reply> {
    const application = await this.#application(code);
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

  #visitorOf({ raw }: ServedRequest, { code }: ApplicationView): SafariVisitor {
    const { websiteLimits, clients, visitorKey } = this.#context;
    websiteLimits.take(code, clients.of(raw));
    const visitor = visitorIn(visitorKey(), raw.headers.authorization, code);
    if (!visitor) throw Fault.unauthorized(NO_TOKEN);
    return visitor;
  }

  async #holders({ account, code: application }: ApplicationView, pushToken: string): Promise<readonly string[]> {
    const lookup = { account, application, userIds: [], pushTokens: [pushToken], hwids: [] };
    const { byPushToken } = await this.#context.devices.resolve(lookup);
    return byPushToken[0]?.names ?? [];
  }

  /** Nothing else shows why Safari refuses a package. */
  @Post('log')
  async log(@Param('application') code: string, @Served() request: ServedRequest): Promise<Reply> {
    const { code: application } = await this.#application(code);
    this.#context.websiteLimits.take(application, this.#context.clients.of(request.raw));
    const { logs } = await this.#bodyOf(request);
    const lines = Array.isArray(logs) ? logs.slice(0, LOG_LINES) : [];
    const errors = lines.map((line) => String(line).slice(0, LOG_LINE_LENGTH));
    if (errors.length > 0) this.#context.log.warn({ application, errors }, 'Safari reports errors of a website');
    return DONE;
  }
}

const callOf = (application: ApplicationView, request: ServedRequest, { clients }: Context) => ({
  account: application.account,
  application,
  credentials: undefined,
  idempotencyKey: '',
  pending: request.pending,
  address: clients.of(request.raw),
});

const hwidOf = (application: string, hwid: unknown): string =>
  api.registerDevice.parse({ application, hwid, device_type: Platform.Safari }).hwid;
