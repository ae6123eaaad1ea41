import { services } from '@tidings/runtime';
import { runService } from '@tidings/service';
import { startGateway } from './start-gateway.ts';

await runService({
  name: 'gateway',
  ...services.gateway,
  http: true,
  start: startGateway,
});
