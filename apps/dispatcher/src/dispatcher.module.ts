import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type DispatcherDeps, type DispatcherService, openDispatcher } from './dispatcher.ts';

const DISPATCHER = Symbol('dispatcher');

/** A dispatcher as a part of a Nest application: opened with it, closed with it. */
@Module({})
export class DispatcherModule implements OnApplicationShutdown {
  readonly #dispatcher: DispatcherService;

  constructor(@Inject(DISPATCHER) dispatcher: DispatcherService) {
    this.#dispatcher = dispatcher;
  }

  static with(deps: DispatcherDeps): DynamicModule {
    return {
      module: DispatcherModule,
      providers: [{ provide: DISPATCHER, useFactory: () => openDispatcher(deps) }],
      exports: [DISPATCHER],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.#dispatcher.close();
  }
}
