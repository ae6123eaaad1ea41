import { describeServiceModule } from '@tidings/testing';
import { FanoutModule } from './fanout.module.ts';

describeServiceModule({ name: 'fanout', module: FanoutModule });
