import { runService } from '@tidings/service';
import { peers, startGateway } from './start-gateway.ts';

await runService({
  name: 'gateway',
  required: ['TIDINGS_ADMIN_TOKEN'],
  peers,
  http: true,
  start: startGateway,
});
