import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { DeviceRecord, LedgerEntry, LedgerSummary } from '../ledger/entries.ts';
import type { ProviderName } from '../provider.ts';
import type { Stage } from '../simulators.ts';
import { devicesQuery, entriesQuery, parsed, resetBody } from './bodies.ts';
import { STAGE } from './stage.ts';

@Controller('ledger')
export class LedgerController {
  readonly #stage: Stage;

  constructor(@Inject(STAGE) stage: Stage) {
    this.#stage = stage;
  }

  @Get('summary')
  summary(): Record<ProviderName, LedgerSummary> {
    return this.#stage.ledger.summary();
  }

  @Get('entries')
  entries(@Query() query: unknown): LedgerEntry[] {
    const { provider, ...filter } = parsed(entriesQuery, query);
    return this.#stage.ledger.of(provider).entries(filter);
  }

  @Get('devices')
  devices(@Query() query: unknown): DeviceRecord[] {
    const { provider, ...filter } = parsed(devicesQuery, query);
    return this.#stage.ledger.of(provider).devices(filter);
  }

  @Post('reset')
  @HttpCode(204)
  reset(@Body() body: unknown): void {
    this.#stage.reset(parsed(resetBody, body));
  }
}
