import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { RegistryModule } from './registry.module.ts';

await runService({
  name: 'registry',
  ...services.registry,
  start: microservice(RegistryModule, 'registry'),
});
