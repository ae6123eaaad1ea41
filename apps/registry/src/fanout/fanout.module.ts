import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type FanoutDeps, type FanoutService, openFanout } from './fanout.ts';

/** Injects the fan-out's operations: `@Inject(FANOUT) fanout: FanoutService`. */
export const FANOUT = Symbol('fanout');

/** The fan-out as a part of a Nest application: opened with it, closed with it. */
@Module({})
export class FanoutModule implements OnApplicationShutdown {
  readonly #fanout: FanoutService;

  constructor(@Inject(FANOUT) fanout: FanoutService) {
    this.#fanout = fanout;
  }

  static with(deps: FanoutDeps): DynamicModule {
    return {
      module: FanoutModule,
      providers: [{ provide: FANOUT, useFactory: () => openFanout(deps) }],
      exports: [FANOUT],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.#fanout.close();
  }
}
