import { services } from '@tidings/runtime';
import { type AnyService, microservice } from '@tidings/service';
import { DispatcherModule } from './dispatcher.module.ts';

export const service = {
  name: 'dispatcher',
  ...services.dispatcher,
  start: microservice(DispatcherModule, 'dispatcher'),
} satisfies AnyService;
