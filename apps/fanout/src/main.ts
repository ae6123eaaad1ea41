import { services } from '@tidings/runtime';
import { microservice, runService } from '@tidings/service';
import { FanoutModule } from './fanout.module.ts';

await runService({
  name: 'fanout',
  ...services.fanout,
  start: microservice(FanoutModule, 'fanout'),
});
