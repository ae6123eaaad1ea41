import { Body, Controller, Delete, Get, Inject, Post } from '@nestjs/common';
import type { ProviderFaults } from '../provider-faults.ts';
import type { Stage } from '../simulators.ts';
import { faultsBody, parsed } from './bodies.ts';
import { STAGE } from './stage.ts';

type AllFaults = Readonly<Record<string, Readonly<ProviderFaults>>>;

@Controller('faults')
export class FaultsController {
  readonly #stage: Stage;

  constructor(@Inject(STAGE) stage: Stage) {
    this.#stage = stage;
  }

  @Get()
  show(): AllFaults {
    return this.#stage.faults.all();
  }

  /** Answers once the change has taken effect on the network. */
  @Post()
  async set(@Body() body: unknown): Promise<AllFaults> {
    const { provider, forMs, ...change } = parsed(faultsBody, body);
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    await this.#stage.faults.set(provider, Object.fromEntries(given), forMs);
    return this.show();
  }

  @Delete()
  async clear(): Promise<AllFaults> {
    await this.#stage.faults.clear();
    return this.show();
  }
}
