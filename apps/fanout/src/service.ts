import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { FanoutModule } from './fanout.module.ts';

export const service = {
  name: 'fanout',
  ...services.fanout,
  start: microservice(FanoutModule, 'fanout'),
} satisfies AnyService;
