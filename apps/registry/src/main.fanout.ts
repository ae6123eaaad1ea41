import { OperationsDefinition } from '@tidings/rpc';
import { microservice, runService } from '@tidings/service';
import { FanoutModule } from './fanout.module.ts';

await runService({
  name: 'fanout',
  required: ['MONGO_URL'],
  peers: [],
  start: microservice(FanoutModule, [OperationsDefinition]),
});
