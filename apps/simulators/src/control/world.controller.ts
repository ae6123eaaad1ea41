import { BadRequestException, Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import type { Stage } from '../simulators.ts';
import { accessTokensBody, clockBody, keysBody, parsed } from './bodies.ts';
import { STAGE } from './stage.ts';

@Controller()
export class WorldController {
  readonly #stage: Stage;

  constructor(@Inject(STAGE) stage: Stage) {
    this.#stage = stage;
  }

  @Post('keys')
  @HttpCode(204)
  keys(@Body() body: unknown): void {
    const keys = parsed(keysBody, body);
    try {
      this.#stage.keys.register(keys);
    } catch (cause) {
      throw new BadRequestException('a public key cannot be read', { cause });
    }
  }

  @Post('access-tokens')
  @HttpCode(204)
  accessTokens(@Body() body: unknown): void {
    const { expireAll = false, lifetimeSeconds } = parsed(accessTokensBody, body);
    if (lifetimeSeconds !== undefined) this.#stage.accessTokens.lifetimeSeconds = lifetimeSeconds;
    if (expireAll) this.#stage.accessTokens.expireAll();
  }

  @Post('clock')
  @HttpCode(204)
  clock(@Body() body: unknown): void {
    this.#stage.clock.advance(parsed(clockBody, body).advance_seconds * 1000);
  }
}
