import { services } from '@tidings/runtime';
import type { AnyService } from '@tidings/service';
import { startGateway } from './start-gateway.ts';

export const service = {
  name: 'gateway',
  ...services.gateway,
  http: true,
  start: startGateway,
} satisfies AnyService;
