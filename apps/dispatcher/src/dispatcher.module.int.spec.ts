import { describeServiceModule } from '@tidings/testing';
import { DispatcherModule } from './dispatcher.module.ts';

describeServiceModule({
  name: 'dispatcher',
  module: DispatcherModule,
  peers: ['registry'],
  channel: 'fcm',
});
