import { OperationsDefinition } from '@tidings/rpc';
import { describeServiceModule } from '@tidings/testing';
import { FanoutModule } from './fanout.module.ts';

describeServiceModule({ name: 'fan-out', module: FanoutModule, services: { operations: OperationsDefinition } });
