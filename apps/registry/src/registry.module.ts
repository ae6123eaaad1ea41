import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openRegistry, type RegistryDeps, type RegistryService } from './registry.ts';

/** Injects the registry's rpc implementations: `@Inject(REGISTRY) registry: RegistryService`. */
export const REGISTRY = Symbol('registry');

/** The registry as a part of a Nest application: opened with it, closed with it. */
@Module({})
export class RegistryModule implements OnApplicationShutdown {
  readonly #registry: RegistryService;

  constructor(@Inject(REGISTRY) registry: RegistryService) {
    this.#registry = registry;
  }

  static with(deps: RegistryDeps): DynamicModule {
    return {
      module: RegistryModule,
      providers: [{ provide: REGISTRY, useFactory: () => openRegistry(deps) }],
      exports: [REGISTRY],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.#registry.close();
  }
}
