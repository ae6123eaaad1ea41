import { OperationsDefinition, ProvidersDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { DispatcherModule } from './dispatcher.module.ts';

describeServiceModule({
  name: 'dispatcher',
  module: DispatcherModule,
  services: { operations: OperationsDefinition, providers: ProvidersDefinition },
  peers: ['registry'],
  channel: 'fcm',
});
