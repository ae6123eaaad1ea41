import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { RegistryModule } from './registry.module.ts';

export const service = {
  name: 'registry',
  ...services.registry,
  start: microservice(RegistryModule, 'registry'),
} satisfies AnyService;
