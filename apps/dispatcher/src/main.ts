import { OperationsDefinition, ProvidersDefinition } from '@tidings/rpc';
import { microservice, runService } from '@tidings/service';
import { DispatcherModule } from './dispatcher.module.ts';

await runService({
  name: 'dispatcher',
  required: ['MONGO_URL', 'TIDINGS_CHANNEL'],
  peers: ['registry'],
  start: microservice(DispatcherModule, [OperationsDefinition, ProvidersDefinition]),
});
