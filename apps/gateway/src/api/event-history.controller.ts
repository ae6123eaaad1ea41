import { Get, Inject, Query, UseGuards } from '@nestjs/common';
import { eventDataOf } from '@tidings/contract';
import { Fault } from '@tidings/kernel';
import { WebhookRequest } from '@tidings/rpc';
import type { Context } from '../context.ts';
import { type Reply, TOO_MANY } from '../envelopes/reply.ts';
import { AdministratorGuard } from '../http/administrator.guard.ts';
import { ApiController } from '../http/api-controller.ts';
import { CONTEXT } from '../injection-tokens.ts';

const MAX_EXPORTS = 4;
const RETRY_AFTER_SECONDS = 60;

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

function timeIn(name: string, text: string): Date {
  const time = new Date(RFC_3339.test(text) ? text : NaN);
  if (Number.isNaN(time.getTime())) throw Fault.argument(`${name}: must be a time such as 2026-01-15T12:00:00Z`);
  return time;
}

@ApiController()
@UseGuards(AdministratorGuard)
export class EventHistoryController {
  readonly #context: Context;
  #exports = 0;

  constructor(@Inject(CONTEXT) context: Context) {
    this.#context = context;
  }

  @Get('admin/v1/events')
  async events(
    @Query('application') application = '',
    @Query('since') since = '',
    @Query('until') until?: string,
  ): Promise<Reply> {
    const { applications, clock } = this.#context;
    const times = {
      since: timeIn('since', since),
      until: until === undefined ? new Date(clock.now()) : timeIn('until', until),
    };
    const { application: found } = await applications.findApplication({ application: String(application) });
    if (!found) throw Fault.notFound('Application not found');
    if (this.#exports >= MAX_EXPORTS) throw Fault.throttled(TOO_MANY, RETRY_AFTER_SECONDS);
    const bytes = this.#lines({ account: found.account, application: found.code, ...times });
    return { status: 200, body: '', stream: { type: 'application/x-ndjson', length: undefined, bytes } };
  }

  async *#lines(request: Parameters<Context['eventHistory']['read']>[0]): AsyncIterable<Uint8Array> {
    this.#exports++;
    try {
      for await (const { events } of this.#context.eventHistory.read(request)) {
        yield Buffer.from(events.map(lineOf).join(''));
      }
    } finally {
      this.#exports--;
    }
  }
}

const lineOf = (event: Uint8Array): string => `${JSON.stringify(eventDataOf(WebhookRequest.decode(event)))}\n`;
