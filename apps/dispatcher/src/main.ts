import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { DispatcherModule } from './dispatcher.module.ts';

await runService({
  name: 'dispatcher',
  ...services.dispatcher,
  start: microservice(DispatcherModule, 'dispatcher'),
});
