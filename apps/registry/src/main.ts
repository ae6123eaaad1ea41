import { microservice, runService } from '@tidings/service';
import { RegistryModule, registryServices } from './registry.module.ts';

await runService({
  name: 'registry',
  required: ['MONGO_URL'],
  peers: [],
  start: microservice(RegistryModule, Object.values(registryServices)),
});
