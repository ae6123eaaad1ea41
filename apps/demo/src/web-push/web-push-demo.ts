import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import {
  Body,
  BadRequestException,
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  HttpException,
  Inject,
  Injectable,
  Module,
  type OnModuleDestroy,
  Post,
  StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { Refusal } from '@tidings/client';
import type { GatewayAccess } from '@tidings/platform';
import { z } from 'zod';
import { DemoCustomer } from './demo-customer.ts';
import { refusalOf } from './local-address.ts';

const PORT = Symbol('port');

/** The built scripts of @tidings/web. */
const CLIENT = '../../../../libs/web-sdk/dist/';

/** The page calls its own origin only, and no other page may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const hwid = z.string().min(1).max(255);
const recipient = z.strictObject({ hwid });
const pushed = z.strictObject({ hwid, message: z.string().max(64) });

function parsed<T>(shape: z.ZodType<T>, value: unknown): T {
  const result = shape.safeParse(value);
  if (!result.success) throw new BadRequestException(z.prettifyError(result.error));
  return result.data;
}

async function passingRefusals<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Refusal) throw new HttpException({ message: error.message }, 502);
    throw error;
  }
}

const file = async (name: string, type: string): Promise<StreamableFile> =>
  new StreamableFile(await readFile(new URL(name, import.meta.url)), { type: `${type}; charset=utf-8` });

interface DemoRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

@Injectable()
class OwnPageOnly implements CanActivate {
  readonly #port: number;

  constructor(@Inject(PORT) port: number) {
    this.#port = port;
  }

  canActivate(context: ExecutionContext): boolean {
    const { method, headers } = context.switchToHttp().getRequest<DemoRequest>();
    const refusal = refusalOf(headers, this.#port, method);
    if (refusal !== undefined) throw new ForbiddenException(refusal);
    return true;
  }
}

/** Without CORS headers, other origins read no replies. */
@Controller('demo/web-push')
@UseGuards(OwnPageOnly)
class WebPushDemoController {
  readonly #customer: DemoCustomer;

  constructor(@Inject(DemoCustomer) customer: DemoCustomer) {
    this.#customer = customer;
  }

  @Get()
  @Header('content-security-policy', POLICY)
  @Header('x-content-type-options', 'nosniff')
  @Header('referrer-policy', 'no-referrer')
  @Header('cache-control', 'no-cache')
  page(): Promise<StreamableFile> {
    return file('page.html', 'text/html');
  }

  @Get('page.css')
  @Header('cache-control', 'no-cache')
  style(): Promise<StreamableFile> {
    return file('page.css', 'text/css');
  }

  @Get('page.js')
  @Header('cache-control', 'no-cache')
  script(): Promise<StreamableFile> {
    return file('page.js', 'text/javascript');
  }

  @Get('tidings.js')
  @Header('cache-control', 'no-cache')
  client(): Promise<StreamableFile> {
    return file(`${CLIENT}tidings.js`, 'text/javascript');
  }

  @Get('tidings-worker.js')
  @Header('service-worker-allowed', '/demo/web-push')
  @Header('content-security-policy', POLICY)
  @Header('cache-control', 'no-cache')
  worker(): Promise<StreamableFile> {
    return file(`${CLIENT}tidings-worker.js`, 'text/javascript');
  }

  @Post('open')
  @HttpCode(200)
  open(): Promise<{ readonly application: string; readonly token: string }> {
    return passingRefusals(this.#customer.open());
  }

  @Post('send')
  @HttpCode(200)
  async send(@Body() body: unknown): Promise<{ readonly message: string }> {
    return { message: await passingRefusals(this.#customer.send(parsed(recipient, body).hwid)) };
  }

  @Post('explain')
  @HttpCode(200)
  explain(@Body() body: unknown): Promise<{ readonly answer: string; readonly explanation: string }> {
    const { hwid, message } = parsed(pushed, body);
    return passingRefusals(this.#customer.explain(message, hwid));
  }
}

@Module({})
class WebPushDemoModule implements OnModuleDestroy {
  readonly #customer: DemoCustomer;

  constructor(@Inject(DemoCustomer) customer: DemoCustomer) {
    this.#customer = customer;
  }

  onModuleDestroy(): void {
    this.#customer.close();
  }
}

/** Serves only where no other machine reaches the gateway ({@link isLocalOnly}). */
export const webPushDemo = (options: GatewayAccess): DynamicModule => ({
  module: WebPushDemoModule,
  controllers: [WebPushDemoController],
  providers: [
    { provide: PORT, useValue: Number(new URL(options.url).port || 80) },
    { provide: DemoCustomer, useValue: new DemoCustomer(options) },
    OwnPageOnly,
  ],
});
