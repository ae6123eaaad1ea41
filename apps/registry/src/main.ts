import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { RegistryModule, registryServices } from './registry.module.ts';

await runService({
  name: 'registry',
  ...services.registry,
  start: microservice(RegistryModule, Object.values(registryServices)),
});
